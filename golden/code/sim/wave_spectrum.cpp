// A sea surface for the bridge simulator: many small waves with random phases.
#include <cmath>
#include <cstddef>
#include <numbers>
#include <random>
#include <vector>

namespace sim {

/// One sine of the sum: height in metres, frequency in radians a second.
struct Component {
    double amplitude;
    double omega;
    double phase;
};

/// Energy density of a fully developed sea (Bretschneider form).
/// @param omega frequency, above zero
/// @param height significant wave height in metres
/// @param peak frequency at the top of the spectrum
double energy_density(double omega, double height, double peak)
{
    const double ratio = std::pow(peak / omega, 4.0);
    return 5.0 / 16.0 * height * height * ratio / omega * std::exp(-1.25 * ratio);
}

class SeaSurface {
public:
    SeaSurface(double height, double peak_period, std::size_t count, unsigned seed)
    {
        const double peak = 2.0 * std::numbers::pi / peak_period;
        const double lowest = 0.5 * peak;
        const double step = (3.0 * peak - lowest) / static_cast<double>(count);
        std::mt19937 generator(seed);
        std::uniform_real_distribution<double> phases(0.0, 2.0 * std::numbers::pi);
        for (std::size_t i = 0; i < count; ++i) {
            const double omega = lowest + (static_cast<double>(i) + 0.5) * step;
            const double amplitude = std::sqrt(2.0 * energy_density(omega, height, peak) * step);
            components_.push_back({amplitude, omega, phases(generator)});
        }
    }

    /// Height of the water above its mean at a time and a distance along the direction of travel.
    double elevation(double seconds, double metres) const
    {
        double sum = 0.0;
        for (const Component& wave : components_) {
            sum += wave.amplitude * std::cos(wave.omega * seconds - wave_number(wave.omega) * metres + wave.phase);
        }
        return sum;
    }

    /// Four times the standard deviation, which should come out close to what was asked for.
    double significant_height() const
    {
        double variance = 0.0;
        for (const Component& wave : components_) {
            variance += wave.amplitude * wave.amplitude / 2.0;
        }
        return 4.0 * std::sqrt(variance);
    }

private:
    /// Deep water: the bottom is not felt.
    static double wave_number(double omega) { return omega * omega / 9.81; }

    std::vector<Component> components_;
};

}  // namespace sim
