// A driver for `corpus check --server ./driver`, in Go: `go build driver.go`. What is asked and answered is told in driver.mjs.
// Put your own parser where the pieces are answered; this one takes all for words.
package main

import (
	"bufio"
	"encoding/json"
	"os"
)

type call struct {
	Index     int    `json:"index"`
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments,omitempty"`
}

type delta struct {
	After   int    `json:"after"`
	Content string `json:"content,omitempty"`
	Calls   []call `json:"tool_calls,omitempty"`
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	answers := json.NewEncoder(os.Stdout)
	for {
		line, fault := lines.ReadBytes('\n')
		if fault != nil {
			return
		}
		var asked struct {
			Text   string          `json:"text"`
			Pieces []string        `json:"pieces"`
			Tools  json.RawMessage `json:"tools"`
		}
		if fault := json.Unmarshal(line, &asked); fault != nil {
			panic(fault)
		}
		if asked.Pieces == nil {
			answers.Encode(map[string]any{"content": asked.Text, "tool_calls": []call{}})
			continue
		}
		sent := []delta{}
		for at, piece := range asked.Pieces {
			sent = append(sent, delta{After: at + 1, Content: piece})
		}
		answers.Encode(map[string]any{"deltas": sent})
	}
}
