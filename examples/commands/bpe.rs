// A tokenizer of the contract in Rust: no pattern, no special tokens, no training. rustc -O bpe.rs; --impl=cmd:./bpe
use std::collections::HashMap;
use std::io::{stdin, stdout, BufRead, Write};

#[derive(Default)]
struct Tokenizer {
    tokens: Vec<String>,                // id to hex
    merges: Vec<(usize, usize, usize)>, // left, right, made
}

/// The strings that stand in quotes in a piece of JSON without escapes.
fn strings(json: &str) -> Vec<&str> {
    json.split('"').skip(1).step_by(2).collect()
}

/// What follows a key, to the end of the line.
fn after<'a>(line: &'a str, key: &str) -> &'a str {
    line.split_once(&format!("\"{key}\": ")).map_or("", |(_, rest)| rest)
}

impl Tokenizer {
    fn load(&mut self, line: &str) -> String {
        if !line.contains("\"special_tokens\": {}") || !line.contains("\"pattern\": null") {
            return r#"{"unsupported": "has no pattern and no special tokens"}"#.into();
        }
        self.tokens = (0..256).map(|byte| format!("{byte:02x}")).collect();
        let mut ids: HashMap<String, usize> = self.tokens.iter().cloned().zip(0..).collect();
        let given = after(line, "merges").split("\"special_tokens\"").next().unwrap();
        self.merges = vec![];
        for pair in strings(given).chunks(2).filter(|pair| pair.len() == 2) {
            let made = pair.concat();
            let id = *ids.entry(made.clone()).or_insert(self.tokens.len());
            self.merges.push((ids[pair[0]], ids[pair[1]], id));
            self.tokens.push(if id == self.tokens.len() { made } else { String::new() }); // made before: nobody's id
        }
        r#"{"ok": true}"#.into()
    }

    fn encode(&self, line: &str) -> String {
        let hex = strings(after(line, "text"))[0];
        let mut ids: Vec<usize> = (0..hex.len()).step_by(2).map(|i| usize::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect();
        if ids.windows(2).any(|pair| pair[0] == 0xED && pair[1] >= 0xA0) {
            return r#"{"error": "UnicodeError", "message": "a lone surrogate"}"#.into();
        }
        for &(left, right, made) in &self.merges {
            let (mut kept, mut i) = (vec![], 0); // every merge in order, each from left to right
            while i < ids.len() {
                let hit = ids[i] == left && ids.get(i + 1) == Some(&right);
                kept.push(if hit { made } else { ids[i] });
                i += 1 + hit as usize;
            }
            ids = kept;
        }
        format!(r#"{{"ids": {ids:?}}}"#)
    }

    fn decode(&self, line: &str) -> String {
        let ids = after(line, "ids").trim_start_matches('[').split(']').next().unwrap();
        let tokens: Option<Vec<&str>> = ids
            .split(", ")
            .filter(|id| !id.is_empty())
            .map(|id| self.tokens.get(id.parse::<usize>().ok()?).map(String::as_str).filter(|token| !token.is_empty()))
            .collect();
        match tokens {
            Some(tokens) => format!(r#"{{"bytes": "{}"}}"#, tokens.concat()),
            None => r#"{"error": "UnknownToken", "message": "no such id"}"#.into(),
        }
    }
}

fn main() {
    let mut tokenizer = Tokenizer::default();
    for line in stdin().lock().lines() {
        let line = line.unwrap();
        let answer = match strings(after(&line, "op"))[0] {
            "load" => tokenizer.load(&line),
            "encode" => tokenizer.encode(&line),
            "decode" => tokenizer.decode(&line),
            "info" => r#"{"name": "bpe.rs", "version": "1"}"#.into(),
            _ => r#"{"unsupported": "does not train"}"#.into(),
        };
        println!("{answer}");
        stdout().flush().unwrap();
    }
}
