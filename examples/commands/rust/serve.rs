// Speaks for the tokenizer of tokenizer.rs. rustc -O -o bpe serve.rs; --impl=cmd:./bpe
mod tokenizer;

/// What stands in quotes after a key, or between it and the next: JSON without escapes.
fn strings<'a>(line: &'a str, key: &str) -> Vec<&'a str> {
    line.split_once(&format!("\"{key}\": ")).map_or(vec![], |(_, rest)| rest.split('"').skip(1).step_by(2).collect())
}

fn main() {
    let mut own = tokenizer::Tokenizer::default();
    for line in std::io::stdin().lines().map(Result::unwrap) {
        let plain = line.contains("\"special_tokens\": {}") && line.contains("\"pattern\": null");
        println!("{}", match strings(&line, "op")[0] {
            "info" => r#"{"name": "bpe.rs", "version": "1"}"#.into(),
            "load" if plain => {
                let sides = strings(line.split("\"special_tokens\"").next().unwrap(), "merges");
                own = tokenizer::Tokenizer::new(&sides.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect::<Vec<_>>());
                r#"{"ok": true}"#.into()
            }
            "encode" => {
                let hex = strings(&line, "text")[0];
                let bytes = (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap());
                match own.encode(&bytes.collect::<Vec<_>>()) {
                    Ok(ids) => format!(r#"{{"ids": {ids:?}}}"#),
                    Err(why) => format!(r#"{{"error": "ValueError", "message": "{why}"}}"#),
                }
            }
            "decode" => {
                let ids = line.split(['[', ']']).nth(1).unwrap().split(", ").filter(|id| !id.is_empty());
                match ids.map(|id| own.token(id.parse().ok()?)).collect::<Option<String>>() {
                    Some(hex) => format!(r#"{{"bytes": "{hex}"}}"#),
                    None => r#"{"error": "UnknownToken", "message": "no such id"}"#.into(),
                }
            }
            _ => r#"{"unsupported": "has no pattern, no special tokens and no training"}"#.into(),
        });
    }
}
