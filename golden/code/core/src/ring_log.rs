//! The voyage recorder's memory: a fixed number of records, the oldest overwritten first.

/// Why a record could not be stored.
#[derive(Debug, PartialEq, Eq)]
pub enum StoreError {
    /// The text is longer than a slot.
    TooLong { length: usize },
}

pub const SLOT_BYTES: usize = 120;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Never reused, so that a reader notices what it missed.
    pub sequence: u64,
    pub text: String,
}

/// Overwrites silently; readers find gaps by comparing sequence numbers.
pub struct RingLog {
    slots: Vec<Option<Record>>,
    next_sequence: u64,
}

impl RingLog {
    /// # Panics
    /// When the capacity is zero.
    pub fn with_capacity(capacity: usize) -> Self {
        assert!(capacity > 0, "a log needs at least one slot");
        Self { slots: vec![None; capacity], next_sequence: 0 }
    }

    pub fn append(&mut self, text: &str) -> Result<u64, StoreError> {
        if text.len() > SLOT_BYTES {
            return Err(StoreError::TooLong { length: text.len() });
        }
        let sequence = self.next_sequence;
        let slot = self.slot_of(sequence);
        self.slots[slot] = Some(Record { sequence, text: text.to_owned() });
        self.next_sequence += 1;
        Ok(sequence)
    }

    /// Everything from `since` on that is still there, oldest first, and how many records were lost before it.
    pub fn read_since(&self, since: u64) -> (Vec<Record>, u64) {
        let oldest = self.next_sequence.saturating_sub(self.slots.len() as u64);
        let start = since.max(oldest);
        let lost = start - since.min(start);
        let records = (start..self.next_sequence)
            .filter_map(|sequence| self.slots[self.slot_of(sequence)].clone())
            .collect();
        (records, lost)
    }

    fn slot_of(&self, sequence: u64) -> usize {
        (sequence % self.slots.len() as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_reader_is_told_what_it_lost() {
        let mut log = RingLog::with_capacity(2);
        for text in ["a", "b", "c"] {
            log.append(text).unwrap();
        }
        let (records, lost) = log.read_since(0);
        assert_eq!(records.len(), 2);
        assert_eq!(lost, 1);
    }
}
