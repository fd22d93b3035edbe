// Which vehicle stands in which lane, so that the ship neither lists nor runs out of deck.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace sim {

struct Vehicle {
    std::string plate;
    double length;  ///< metres, bumper to bumper
    double mass;    ///< tonnes
};

struct Lane {
    double offset;  ///< metres from the centre line, starboard positive
    double length;  ///< metres of deck
    std::vector<Vehicle> vehicles;

    double used() const
    {
        return std::accumulate(vehicles.begin(), vehicles.end(), 0.0,
                               [](double sum, const Vehicle& v) { return sum + v.length + gap; });
    }

    /// Room between two bumpers, enough to squeeze through.
    static constexpr double gap = 0.45;
};

class LoadPlanner {
public:
    explicit LoadPlanner(std::vector<Lane> lanes) : lanes_(std::move(lanes)) {}

    /// Heaviest first, each into the lane that keeps the ship most upright.
    /// Returns the vehicles for which there was no room.
    std::vector<Vehicle> place(std::vector<Vehicle> queue)
    {
        std::stable_sort(queue.begin(), queue.end(),
                         [](const Vehicle& a, const Vehicle& b) { return a.mass > b.mass; });
        std::vector<Vehicle> left_behind;
        for (Vehicle& vehicle : queue) {
            if (const auto index = best_lane(vehicle)) {
                lanes_[*index].vehicles.push_back(std::move(vehicle));
            } else {
                left_behind.push_back(std::move(vehicle));
            }
        }
        return left_behind;
    }

    /// Sum of mass times lever arm, in tonne-metres; zero is upright.
    double heeling_moment() const
    {
        double moment = 0.0;
        for (const Lane& lane : lanes_) {
            for (const Vehicle& vehicle : lane.vehicles) {
                moment += vehicle.mass * lane.offset;
            }
        }
        return moment;
    }

private:
    std::optional<std::size_t> best_lane(const Vehicle& vehicle) const
    {
        std::optional<std::size_t> best;
        double best_moment = 0.0;
        for (std::size_t i = 0; i < lanes_.size(); ++i) {
            if (lanes_[i].used() + vehicle.length > lanes_[i].length) {
                continue;
            }
            const double moment = std::abs(heeling_moment() + vehicle.mass * lanes_[i].offset);
            if (!best || moment < best_moment) {
                best = i;
                best_moment = moment;
            }
        }
        return best;
    }

    std::vector<Lane> lanes_;
};

}  // namespace sim
