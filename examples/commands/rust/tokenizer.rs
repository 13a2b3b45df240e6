//! A tokenizer as you may have one: byte-level BPE, no pattern, no special tokens, no training. Byte strings are hex.
use std::collections::HashMap;

#[derive(Default)]
pub struct Tokenizer {
    tokens: Vec<Option<String>>,        // id to hex
    merges: Vec<(usize, usize, usize)>, // left, right, made
}

impl Tokenizer {
    pub fn new(merges: &[(&str, &str)]) -> Tokenizer {
        let mut made = Tokenizer::default();
        made.tokens = (0..256).map(|byte| Some(format!("{byte:02x}"))).collect();
        let mut ids: HashMap<String, usize> = made.tokens.iter().flatten().cloned().zip(0..).collect();
        for &(left, right) in merges {
            let (joined, next) = (format!("{left}{right}"), made.tokens.len());
            let id = *ids.entry(joined.clone()).or_insert(next);
            made.merges.push((ids[left], ids[right], id));
            made.tokens.push((id == next).then_some(joined)); // made before: this id is nobody's
        }
        made
    }

    pub fn encode(&self, bytes: &[u8]) -> Result<Vec<usize>, &str> {
        if bytes.windows(2).any(|pair| pair[0] == 0xED && pair[1] >= 0xA0) {
            return Err("a lone surrogate");
        }
        let mut ids: Vec<usize> = bytes.iter().map(|&byte| byte as usize).collect();
        for &(left, right, made) in &self.merges {
            let (mut kept, mut i) = (vec![], 0); // every merge in order, each from left to right
            while i < ids.len() {
                let hit = ids[i] == left && ids.get(i + 1) == Some(&right);
                kept.push(if hit { made } else { ids[i] });
                i += 1 + hit as usize;
            }
            ids = kept;
        }
        Ok(ids)
    }

    pub fn token(&self, id: usize) -> Option<&str> {
        self.tokens.get(id)?.as_deref()
    }
}
