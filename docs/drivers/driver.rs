// A driver for `corpus check --server ./driver`, in Rust without crates: `rustc -O driver.rs`. What is asked and answered is told in
// driver.mjs. Put your own parser where the pieces are answered; this one takes all for words. With serde_json, `strings` and
// `quoted` are not needed.
use std::io::{self, BufRead, Write};

/// The texts that follow the key: one, or those of a list.
fn strings(line: &str) -> Vec<String> {
    let mut letters = line.chars().skip_while(|c| *c != ':').skip(1).skip_while(|c| *c == ' ').peekable();
    let list = letters.peek() == Some(&'[');
    let mut found = Vec::new();
    while let Some(c) = letters.next() {
        if c == ']' || (!list && !found.is_empty()) {
            break;
        }
        if c != '"' {
            continue;
        }
        let mut units: Vec<u16> = Vec::new(); // halves of pairs are escaped one by one
        loop {
            let mut c = letters.next().expect("a text has an end");
            if c == '"' {
                break;
            }
            if c == '\\' {
                c = letters.next().expect("an escape has a letter");
                if c == 'u' {
                    let code: String = letters.by_ref().take(4).collect();
                    units.push(u16::from_str_radix(&code, 16).expect("a code has four digits"));
                    continue;
                }
                c = "bfnrt".find(c).map_or(c, |at| ['\u{8}', '\u{c}', '\n', '\r', '\t'][at]);
            }
            units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
        }
        found.push(String::from_utf16_lossy(&units));
    }
    found
}

fn quoted(text: &str) -> String {
    let escaped = |c: char| if c < ' ' || c == '"' || c == '\\' { format!("\\u{:04x}", c as u32) } else { c.to_string() };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

fn main() {
    for line in io::stdin().lock().lines() {
        let line = line.expect("a line is UTF-8");
        let pieces = strings(&line);
        let answer = if line.starts_with("{\"pieces\":") { // the key comes first
            let delta = |(at, piece): (usize, &String)| format!("{{\"after\": {}, \"content\": {}}}", at + 1, quoted(piece));
            format!("{{\"deltas\": [{}]}}", pieces.iter().enumerate().map(delta).collect::<Vec<_>>().join(", "))
        } else {
            format!("{{\"content\": {}, \"tool_calls\": []}}", quoted(&pieces.concat()))
        };
        writeln!(io::stdout(), "{answer}").expect("someone reads");
    }
}
