//! Short codes printed on tickets: easy to read aloud, and a typing mistake is noticed.

/// Without 0, O, 1, I and L, which people confuse.
const ALPHABET: &[u8] = b"23456789ABCDEFGHJKMNPQRSTUVWXYZ";

#[derive(Debug, PartialEq, Eq)]
pub enum CodeError {
    UnknownLetter(char),
    WrongCheck,
    TooShort,
}

/// Encode a number and append the check letter.
pub fn encode(mut number: u64) -> String {
    let base = ALPHABET.len() as u64;
    let mut digits = Vec::new();
    loop {
        digits.push((number % base) as usize);
        number /= base;
        if number == 0 {
            break;
        }
    }
    digits.reverse();
    digits.push(check_digit(&digits));
    digits.iter().map(|&digit| ALPHABET[digit] as char).collect()
}

/// The number again. Lower case, blanks and dashes are forgiven.
pub fn decode(code: &str) -> Result<u64, CodeError> {
    let digits = code
        .chars()
        .filter(|letter| !matches!(letter, ' ' | '-'))
        .map(value_of)
        .collect::<Result<Vec<_>, _>>()?;
    let (&check, body) = digits.split_last().ok_or(CodeError::TooShort)?;
    if body.is_empty() {
        return Err(CodeError::TooShort);
    }
    if check_digit(body) != check {
        return Err(CodeError::WrongCheck);
    }
    Ok(body.iter().fold(0, |number, &digit| number * ALPHABET.len() as u64 + digit as u64))
}

fn value_of(letter: char) -> Result<usize, CodeError> {
    let upper = letter.to_ascii_uppercase();
    ALPHABET
        .iter()
        .position(|&known| known as char == upper)
        .ok_or(CodeError::UnknownLetter(letter))
}

/// Weighted sum modulo 31; the weights differ between neighbours, so swapped letters are caught too.
fn check_digit(digits: &[usize]) -> usize {
    let sum: usize = digits.iter().enumerate().map(|(place, digit)| (place + 2) * digit).sum();
    sum % ALPHABET.len()
}
