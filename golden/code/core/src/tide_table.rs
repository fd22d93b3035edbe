//! Water level between the printed high and low waters, by the cosine rule.

use std::f64::consts::PI;

/// A turning point of the tide: minutes since midnight and metres above chart datum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extreme {
    pub minute: u32,
    pub height: f64,
}

#[derive(Debug, PartialEq)]
pub enum TideError {
    /// Fewer than two turning points were given.
    TooFewExtremes,
    /// The moment lies before the first or after the last turning point.
    OutsideTable(u32),
}

/// One day's table, in order of time.
pub struct TideTable {
    extremes: Vec<Extreme>,
}

impl TideTable {
    pub fn new(mut extremes: Vec<Extreme>) -> Result<Self, TideError> {
        if extremes.len() < 2 {
            return Err(TideError::TooFewExtremes);
        }
        extremes.sort_by_key(|extreme| extreme.minute);
        Ok(Self { extremes })
    }

    /// Height at a moment. The curve is flat at both turning points and steepest half way.
    pub fn height_at(&self, minute: u32) -> Result<f64, TideError> {
        let pair = self
            .extremes
            .windows(2)
            .find(|pair| pair[0].minute <= minute && minute <= pair[1].minute)
            .ok_or(TideError::OutsideTable(minute))?;
        let (before, after) = (pair[0], pair[1]);
        let span = f64::from(after.minute - before.minute).max(1.0);
        let phase = f64::from(minute - before.minute) / span;
        let middle = (before.height + after.height) / 2.0;
        let amplitude = (before.height - after.height) / 2.0;
        Ok(middle + amplitude * (PI * phase).cos())
    }

    /// Minutes of the day when at least `needed` metres stand over the sill.
    pub fn window_above(&self, needed: f64) -> Vec<(u32, u32)> {
        let first = self.extremes[0].minute;
        let last = self.extremes[self.extremes.len() - 1].minute;
        let mut windows = Vec::new();
        let mut opened: Option<u32> = None;
        for minute in first..=last {
            let enough = self.height_at(minute).map_or(false, |height| height >= needed);
            match (enough, opened) {
                (true, None) => opened = Some(minute),
                (false, Some(start)) => {
                    windows.push((start, minute - 1));
                    opened = None;
                }
                _ => {}
            }
        }
        if let Some(start) = opened {
            windows.push((start, last));
        }
        windows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_way_is_the_mean() {
        let table = TideTable::new(vec![
            Extreme { minute: 0, height: 4.0 },
            Extreme { minute: 360, height: 1.0 },
        ])
        .unwrap();
        assert!((table.height_at(180).unwrap() - 2.5).abs() < 1e-9);
    }
}
