// Writes `tests/fixtures/failures.json`: every failure that Kubernetes' sources name, with an object that has it and
// the class that its health must be. `verdicts.txt` says what each word means; a word without a verdict is an error.
// In `tests/cluster`: `go run ./failures > ../fixtures/failures.json`.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"

	_ "embed"
)

//go:embed verdicts.txt
var verdicts string

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type failure struct {
	Word   string `json:"word"`
	Type   string `json:"type,omitempty"`
	Status string `json:"status,omitempty"`
	Reason string `json:"reason,omitempty"`
	// `changing, not-ready 60, failing 600`.
	Health string `json:"health"`
	From   string `json:"from"`
}

type leftOut struct {
	Word string `json:"word"`
	Why  string `json:"why"`
	From string `json:"from"`
}

func run() error {
	found := sources{exported: map[string]string{}}
	version, err := found.download()
	if err != nil {
		return err
	}
	for _, of := range shared {
		if err := found.export(of); err != nil {
			return err
		}
	}
	judged, err := readVerdicts()
	if err != nil {
		return err
	}
	var out strings.Builder
	fmt.Fprintf(&out, "{\n\"kubernetes\": %q,\n\"sections\": [", version)
	var unjudged []string
	for at, section := range sections {
		words, err := section.words(&found, judged)
		if err != nil {
			return err
		}
		var failures []failure
		var others []leftOut
		for _, word := range words {
			verdict, ok := judged[key{section.name, word.String()}]
			if !ok {
				unjudged = append(unjudged, fmt.Sprintf("[%s] %s (%s)", section.name, word, word.from))
				continue
			}
			delete(judged, key{section.name, word.String()})
			if verdict.why != "" {
				others = append(others, leftOut{word.String(), verdict.why, word.from})
				continue
			}
			failures = append(failures, failure{
				word.String(), or(verdict.kind, word.kind), or(verdict.status, word.status), word.reason, verdict.health, word.from,
			})
		}
		if at > 0 {
			out.WriteString(",")
		}
		fmt.Fprintf(&out, "\n{\"name\": %q, \"resource\": %q, \"says\": %q,\n\"object\": %s,\n", section.name, section.resource, section.says, compact(section.object))
		fmt.Fprintf(&out, "\"failures\": [%s],\n\"leftOut\": [%s]}", lines(failures), lines(others))
	}
	out.WriteString("\n]\n}\n")
	for left := range judged {
		unjudged = append(unjudged, fmt.Sprintf("[%s] %s is in verdicts.txt, and no source has it", left.section, left.word))
	}
	if len(unjudged) > 0 {
		return fmt.Errorf("verdicts.txt must say what these are:\n%s", strings.Join(unjudged, "\n"))
	}
	_, err = os.Stdout.WriteString(out.String())
	return err
}

// Each on a line of its own, so that a change shows its word.
func lines[T any](all []T) string {
	var out strings.Builder
	for at, one := range all {
		if at > 0 {
			out.WriteString(",")
		}
		text, _ := json.Marshal(one)
		out.WriteString("\n" + string(text))
	}
	return out.String()
}

func compact(object string) string {
	var read any
	if err := json.Unmarshal([]byte(object), &read); err != nil {
		panic(fmt.Sprintf("%v: %s", err, object))
	}
	text, _ := json.Marshal(read)
	return string(text)
}

// The sources of the versions that go.mod pins.
func (s *sources) download() (version string, err error) {
	command := exec.Command("go", append([]string{"mod", "download", "-json"}, modules...)...)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("go mod download: %w", err)
	}
	s.modules = map[string]string{}
	decoder := json.NewDecoder(strings.NewReader(string(output)))
	for decoder.More() {
		var module struct{ Path, Version, Dir string }
		if err := decoder.Decode(&module); err != nil {
			return "", err
		}
		s.modules[module.Path] = module.Dir
		if module.Path == kubernetes {
			version = strings.TrimPrefix(module.Version, "v")
		}
	}
	return version, nil
}

type key struct{ section, word string }

type verdict struct {
	// The condition that has the word as its reason, where the source does not say it.
	kind, status string
	health       string
	// It is left out.
	why string
	// A word of no source that is read here.
	link string
}

// Below `[SECTION]`, each line is `WORD  VERDICT`; `#` begins a comment. A verdict is `failing` or
// `changing, not-ready 60, failing 600`, with the condition before it where the source doesn't say it (`Failed True:
// failing`), or `-` and why the word is left out. A line with `+` before its word has a link behind its verdict: the
// word comes from there.
func readVerdicts() (map[key]verdict, error) {
	judged := map[key]verdict{}
	section := ""
	for number, line := range strings.Split(verdicts, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			continue
		case strings.HasPrefix(line, "["):
			section = strings.Trim(line, "[]")
			continue
		}
		var it verdict
		if rest, isOther := strings.CutPrefix(line, "+ "); isOther {
			at := strings.LastIndex(rest, " ")
			line, it.link = strings.TrimSpace(rest[:at]), rest[at+1:]
		}
		name, said, ok := strings.Cut(line, "  ")
		if !ok {
			return nil, fmt.Errorf("verdicts.txt:%d: two spaces stand between a word and its verdict", number+1)
		}
		said = strings.TrimSpace(said)
		if why, isLeftOut := strings.CutPrefix(said, "- "); isLeftOut {
			it.why = why
		} else if condition, health, ok := strings.Cut(said, ": "); ok {
			fields := strings.Fields(condition)
			it.status, it.health = fields[len(fields)-1], health
			it.kind = strings.Join(fields[:len(fields)-1], " ")
		} else {
			it.health = said
		}
		id := key{section, name}
		if _, twice := judged[id]; twice {
			return nil, fmt.Errorf("verdicts.txt:%d: %s stands there twice", number+1, name)
		}
		judged[id] = it
	}
	return judged, nil
}
