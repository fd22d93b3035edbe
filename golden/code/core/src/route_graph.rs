//! Journeys with changes: earliest arrival over scheduled crossings.

use std::collections::HashMap;

/// A scheduled crossing; times are minutes since midnight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crossing {
    pub from: String,
    pub to: String,
    pub leaves: u32,
    pub arrives: u32,
}

/// Minutes needed on the quay between two ships.
pub const CHANGE_MINUTES: u32 = 10;

/// Connection scan: one pass over the crossings in order of departure.
pub struct RouteGraph {
    crossings: Vec<Crossing>,
}

impl RouteGraph {
    pub fn new(mut crossings: Vec<Crossing>) -> Self {
        crossings.sort_by_key(|crossing| crossing.leaves);
        Self { crossings }
    }

    /// The legs of the journey that arrives first, or `None` when nobody gets there today.
    pub fn earliest_arrival(&self, from: &str, to: &str, not_before: u32) -> Option<Vec<Crossing>> {
        let mut reached: HashMap<&str, (u32, Option<usize>)> = HashMap::new();
        reached.insert(from, (not_before, None));
        for (index, crossing) in self.crossings.iter().enumerate() {
            let Some(&(ready, came_by)) = reached.get(crossing.from.as_str()) else {
                continue;
            };
            let pause = if came_by.is_some() { CHANGE_MINUTES } else { 0 };
            if crossing.leaves < ready + pause {
                continue;
            }
            let better = reached
                .get(crossing.to.as_str())
                .map_or(true, |&(arrival, _)| crossing.arrives < arrival);
            if better {
                reached.insert(&crossing.to, (crossing.arrives, Some(index)));
            }
        }
        self.walk_back(&reached, from, to)
    }

    fn walk_back(
        &self,
        reached: &HashMap<&str, (u32, Option<usize>)>,
        from: &str,
        to: &str,
    ) -> Option<Vec<Crossing>> {
        let mut legs = Vec::new();
        let mut place = to;
        while place != from {
            let &(_, came_by) = reached.get(place)?;
            let crossing = &self.crossings[came_by?];
            legs.push(crossing.clone());
            place = &crossing.from;
        }
        legs.reverse();
        Some(legs)
    }
}
