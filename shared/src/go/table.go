// Writes what Go prints, for the tests beside it: `go run table.go floats > floats.txt`, `go run table.go upper > upper.txt`.
package main

import (
	"fmt"
	"math"
	"math/rand"
	"os"
	"unicode"
)

func main() {
	switch os.Args[1] {
	case "floats":
		floats()
	case "upper":
		upper()
	}
}

// Each line has the bits of a float64 and its text. Every power of ten, its neighbours, and random numbers of every size.
func floats() {
	print := func(value float64) { fmt.Printf("%016x %v\n", math.Float64bits(value), value) }
	for _, value := range []float64{0, math.Copysign(0, -1), 0.1, -1234567.5, math.MaxFloat64, math.SmallestNonzeroFloat64} {
		print(value)
	}
	for exponent := -12; exponent <= 24; exponent++ {
		power := math.Pow(10, float64(exponent))
		for _, value := range []float64{power, math.Nextafter(power, 0), math.Nextafter(power, math.Inf(1)), -power, 1.2345675 * power} {
			print(value)
		}
	}
	random := rand.New(rand.NewSource(1))
	for count := 0; count < 150; count++ {
		value := math.Float64frombits(random.Uint64())
		if !math.IsNaN(value) && !math.IsInf(value, 0) {
			print(value)
		}
		print(math.Pow(10, random.Float64()*40-14))
		print(math.Round(random.Float64()*1e9) / 100)
	}
}

// Each line has the first and the last code point of a range, and what is added to each for its upper case.
func upper() {
	fmt.Println("unicode", unicode.Version)
	var first, last, added rune = -1, -1, 0
	flush := func() {
		if first >= 0 {
			fmt.Printf("%x %x %d\n", first, last, added)
		}
		first = -1
	}
	for code := rune(0); code <= unicode.MaxRune; code++ {
		step := unicode.ToUpper(code) - code
		if step == 0 {
			continue
		}
		if first < 0 || code != last+1 || step != added {
			flush()
			first, added = code, step
		}
		last = code
	}
	flush()
}
