// Reads the words of states in Go sources: constants, errors, and what is written as the reason of a condition.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// A state as the sources name it. Type and status are empty where the word is no condition's reason.
type word struct {
	kind, status, reason string
	from                 string
}

func (w word) String() string {
	return strings.Join(strings.Fields(w.kind+" "+w.status+" "+w.reason), " ")
}

type source struct {
	module, path string
	read         func(*sources, *folder) []word
}

// A file or a folder without its tests.
type folder struct {
	from  string
	files []*ast.File
}

type sources struct {
	// Where each module's files are.
	modules map[string]string
	// The values of the constants that packages have for others, by their names.
	exported map[string]string
}

func (s *sources) open(of source) (*folder, error) {
	path := filepath.Join(s.modules[of.module], of.path)
	paths := []string{path}
	if !strings.HasSuffix(path, ".go") {
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		paths = nil
		for _, entry := range entries {
			if strings.HasSuffix(entry.Name(), ".go") && !strings.HasSuffix(entry.Name(), "_test.go") {
				paths = append(paths, filepath.Join(path, entry.Name()))
			}
		}
	}
	opened := &folder{from: of.module + "/" + of.path}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		opened.files = append(opened.files, file)
	}
	return opened, nil
}

// Each constant with a text, and the name of its type.
func (f *folder) constants(each func(name, kind, text string)) {
	for _, file := range f.files {
		for _, declaration := range file.Decls {
			general, ok := declaration.(*ast.GenDecl)
			if !ok || general.Tok != token.CONST {
				continue
			}
			for _, spec := range general.Specs {
				values := spec.(*ast.ValueSpec)
				for at, name := range values.Names {
					if at < len(values.Values) {
						if text, ok := literal(values.Values[at]); ok {
							each(name.Name, last(values.Type), text)
						}
					}
				}
			}
		}
	}
}

func (f *folder) own() map[string]string {
	own := map[string]string{}
	f.constants(func(name, _, text string) { own[name] = text })
	return own
}

func literal(expression ast.Expr) (string, bool) {
	basic, ok := expression.(*ast.BasicLit)
	if !ok || basic.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(basic.Value)
	return text, err == nil
}

// `PodReady` of `v1.PodReady`.
func last(expression ast.Expr) string {
	switch it := expression.(type) {
	case *ast.Ident:
		return it.Name
	case *ast.SelectorExpr:
		return it.Sel.Name
	}
	return ""
}

// The constants whose name matches.
func named(pattern string) func(*sources, *folder) []word {
	matches := regexp.MustCompile("^(" + pattern + ")$")
	return func(_ *sources, in *folder) (found []word) {
		in.constants(func(name, _, text string) {
			if matches.MatchString(name) {
				found = append(found, word{reason: text})
			}
		})
		return
	}
}

// The constants of a type. Those of conditions' types are types of conditions, without a reason.
func typed(kind string) func(*sources, *folder) []word {
	return func(_ *sources, in *folder) (found []word) {
		in.constants(func(_, of, text string) {
			switch {
			case of != kind:
			case strings.HasSuffix(kind, "ConditionType"):
				found = append(found, word{kind: text})
			default:
				found = append(found, word{reason: text})
			}
		})
		return
	}
}

// What errors say in one word.
func errors(_ *sources, in *folder) (found []word) {
	one := regexp.MustCompile(`^[A-Z][A-Za-z]+$`)
	in.walk(func(node ast.Node) {
		call, ok := node.(*ast.CallExpr)
		if ok && last(call.Fun) == "New" && len(call.Args) == 1 {
			if text, ok := literal(call.Args[0]); ok && one.MatchString(text) {
				found = append(found, word{reason: text})
			}
		}
	})
	return
}

// What is given to a field or a variable `reason`, or compared with it.
func reasons(s *sources, in *folder) (found []word) {
	own := in.own()
	note := func(place, value ast.Expr) {
		if strings.EqualFold(last(place), "reason") {
			if text, ok := s.value(own, value); ok && text != "" {
				found = append(found, word{reason: text})
			}
		}
	}
	in.walk(func(node ast.Node) {
		switch it := node.(type) {
		case *ast.KeyValueExpr:
			note(it.Key, it.Value)
		case *ast.BinaryExpr:
			note(it.X, it.Y)
		case *ast.AssignStmt:
			if len(it.Lhs) == 1 && len(it.Rhs) == 1 {
				note(it.Lhs[0], it.Rhs[0])
			}
		}
	})
	return
}

// What a function is called with at this place.
func given(function string, place int) func(*sources, *folder) []word {
	return func(s *sources, in *folder) (found []word) {
		own := in.own()
		in.walk(func(node ast.Node) {
			call, ok := node.(*ast.CallExpr)
			if ok && last(call.Fun) == function && place < len(call.Args) {
				if text, ok := s.value(own, call.Args[place]); ok {
					found = append(found, word{reason: text})
				}
			}
		})
		return
	}
}

// Conditions that are written: as a literal, by a call that takes type, status and reason, or field by field. `?`: a
// part that only the running program knows.
func conditions(s *sources, in *folder) (found []word) {
	own := in.own()
	for _, file := range in.files {
		for _, declaration := range file.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && function.Body != nil {
				found = append(found, s.conditionsOf(own, function)...)
			}
		}
	}
	return
}

func (s *sources) conditionsOf(own map[string]string, function *ast.FuncDecl) (found []word) {
	said := func(expression ast.Expr) string {
		if text, ok := s.value(own, expression); ok {
			return text
		}
		return "?"
	}
	isStatus := func(expression ast.Expr) bool {
		return strings.HasPrefix(last(expression), "Condition") && strings.Contains("True False Unknown", said(expression))
	}
	// A condition that gets its reason later.
	begun := word{kind: "?", status: "?"}
	ast.Inspect(function.Body, func(node ast.Node) bool {
		switch it := node.(type) {
		case *ast.CompositeLit:
			parts := map[string]string{}
			for _, element := range it.Elts {
				if pair, ok := element.(*ast.KeyValueExpr); ok {
					parts[last(pair.Key)] = said(pair.Value)
				}
			}
			kind, isCondition := parts["Type"]
			if _, ok := parts["Status"]; !ok && !strings.HasSuffix(last(it.Type), "Condition") {
				isCondition = false
			}
			if reason, ok := parts["Reason"]; isCondition && ok {
				found = append(found, word{kind: kind, status: or(parts["Status"], "?"), reason: reason})
			} else if isCondition {
				begun = word{kind: kind, status: or(parts["Status"], "?")}
			}
		case *ast.CallExpr:
			for at, argument := range it.Args {
				if at > 0 && at+1 < len(it.Args) && isStatus(argument) {
					found = append(found, word{kind: said(it.Args[at-1]), status: said(argument), reason: said(it.Args[at+1])})
				}
			}
		case *ast.BlockStmt:
			found = append(found, assigned(it, &begun, said)...)
		}
		return true
	})
	return
}

// `condition.Status = v1.ConditionTrue` and `condition.Reason = "…"` of one block.
func assigned(block *ast.BlockStmt, begun *word, said func(ast.Expr) string) (found []word) {
	var status, reason string
	for _, statement := range block.List {
		assign, ok := statement.(*ast.AssignStmt)
		if !ok || len(assign.Lhs) != 1 {
			continue
		}
		if target, ok := assign.Lhs[0].(*ast.SelectorExpr); ok {
			switch target.Sel.Name {
			case "Status":
				status = said(assign.Rhs[0])
			case "Reason":
				reason = said(assign.Rhs[0])
			}
		}
	}
	if reason != "" {
		found = append(found, word{kind: begun.kind, status: or(status, begun.status), reason: reason})
	}
	return
}

func (s *sources) value(own map[string]string, expression ast.Expr) (string, bool) {
	if text, ok := literal(expression); ok {
		return text, true
	}
	if _, isIdentifier := expression.(*ast.Ident); isIdentifier {
		if text, ok := own[last(expression)]; ok {
			return text, true
		}
	}
	text, ok := s.exported[last(expression)]
	return text, ok
}

func (f *folder) walk(each func(ast.Node)) {
	for _, file := range f.files {
		ast.Inspect(file, func(node ast.Node) bool {
			each(node)
			return true
		})
	}
}

func or(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

func (s *sources) export(of source) error {
	opened, err := s.open(of)
	if err != nil {
		return fmt.Errorf("%s/%s: %w", of.module, of.path, err)
	}
	opened.constants(func(name, _, text string) {
		if ast.IsExported(name) {
			s.exported[name] = text
		}
	})
	return nil
}
