/* The inner loops of crfdeid/engine/compiled.py and kernels.py again, in C, to be timed beside numba's.
   Compiled by engine_kernels.py: cc -O3 -march=native -shared -fPIC. Not part of the package. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* scores[t] += window[texts[t + offset]][offset] for each offset, inside each sequence */
void add_window(const int32_t *texts, const int64_t *first, const int64_t *stop, int64_t sequences,
                const int64_t *offsets, int64_t reach, const double *window, int64_t width, double *scores) {
    for (int64_t s = 0; s < sequences; s++)
        for (int64_t t = first[s]; t < stop[s]; t++) {
            double *restrict into = scores + t * width;
            for (int64_t o = 0; o < reach; o++) {
                int64_t u = t + offsets[o];
                if (u < first[s] || u >= stop[s]) continue;
                const double *restrict row = window + ((int64_t)texts[u] * reach + o) * width;
                for (int64_t y = 0; y < width; y++) into[y] += row[y];
            }
        }
}

static int64_t highest(const double *row, int64_t size) {
    int64_t best = 0;
    for (int64_t y = 1; y < size; y++)
        if (row[y] > row[best]) best = y;
    return best;
}

/* The pruned Viterbi recursion; transitions and turned (its transpose) are [labels, labels]. */
void best_paths(double *scores, const int64_t *first, const int64_t *stop, int64_t sequences, int64_t labels,
                const double *transitions, const double *turned, const double *lead, int64_t *path) {
    double *come = malloc(labels * sizeof *come);
    int64_t *alive = malloc(labels * sizeof *alive);
    for (int64_t s = 0; s < sequences; s++) {
        for (int64_t t = first[s] + 1; t < stop[s]; t++) {
            const double *before = scores + (t - 1) * labels;
            double *restrict into = scores + t * labels;
            int64_t best = highest(before, labels), count = 0;
            for (int64_t i = 0; i < labels; i++)
                if (before[best] - before[i] <= lead[best * labels + i]) alive[count++] = i;
            for (int64_t j = 0; j < labels; j++) come[j] = -INFINITY;
            for (int64_t k = 0; k < count; k++) {
                const double *restrict row = transitions + alive[k] * labels;
                double gain = before[alive[k]];
                for (int64_t j = 0; j < labels; j++) {
                    double reached = gain + row[j];
                    come[j] = reached > come[j] ? reached : come[j];
                }
            }
            for (int64_t j = 0; j < labels; j++) into[j] = come[j] + into[j];
        }
        if (stop[s] > first[s]) path[stop[s] - 1] = highest(scores + (stop[s] - 1) * labels, labels);
        for (int64_t t = stop[s] - 2; t >= first[s]; t--) {
            const double *row = turned + path[t + 1] * labels, *here = scores + t * labels;
            int64_t best = 0;
            for (int64_t i = 1; i < labels; i++)
                if (here[i] + row[i] > here[best] + row[best]) best = i;
            path[t] = best;
        }
    }
    free(come);
    free(alive);
}

static double product(const double *restrict one, const double *restrict other, int64_t width) {
    double sum = 0.0;
    for (int64_t y = 0; y < width; y++) sum += one[y] * other[y];
    return sum;
}

/* Forward-backward of one sequence in scaled probabilities; emissions [size, width] become marginals. The
   transitions are laid out as in crfdeid/engine/factors.py: excess and counts [3 + strips, width], then others. */
double chain(int64_t size, int64_t width, int64_t hub, int64_t strips, const uint64_t *starts, const uint64_t *ends,
             const uint64_t *lengths, int64_t leading, const uint64_t *sources, const uint64_t *bounds, const uint64_t *targets,
             const double *excess, double unseen, double *emissions, double *alpha, double *scale, double *counts) {
    double *beta = malloc(width * sizeof *beta), *row = malloc(width * sizeof *row), total = 0.0;
    const double *from_hub = excess, *to_hub = excess + width, *stay = excess + 2 * width;
    const double *other = excess + (3 + strips) * width;
    double *other_count = counts + (3 + strips) * width;
    for (int64_t t = 0; t < size; t++) {
        const double *restrict e = emissions + t * width, *restrict before = alpha + (t - 1) * width;
        double *restrict a = alpha + t * width;
        for (int64_t y = 0; y < width; y++)
            a[y] = t ? unseen + before[hub] * from_hub[y] + before[y] * stay[y] : 1.0;
        if (t) {
            a[hub] += product(before, to_hub, width);
            for (int64_t k = 0; k < strips; k++)
                for (uint64_t y = 0; y < lengths[k]; y++)
                    a[ends[k] + y] += before[starts[k] + y] * excess[(3 + k) * width + starts[k] + y];
            for (int64_t k = 0; k < leading; k++)
                for (uint64_t q = bounds[k]; q < bounds[k + 1]; q++) a[targets[q]] += before[sources[k]] * other[q];
        }
        double z = product(a, e, width);
        total += log(z);
        scale[t] = 1.0 / z;
        for (int64_t y = 0; y < width; y++) a[y] *= e[y] * scale[t];
    }
    for (int64_t y = 0; y < width; y++) beta[y] = 1.0;
    for (int64_t t = size - 1; t >= 0; t--) {
        double *restrict e = emissions + t * width;
        const double *restrict a = alpha + t * width, *restrict before = alpha + (t - 1) * width;
        double z = 0.0;
        for (int64_t y = 0; y < width; y++) {
            row[y] = e[y] * beta[y] * scale[t];
            e[y] = a[y] * beta[y];
        }
        if (!t) break;
        for (int64_t y = 0; y < width; y++) z += row[y];
        for (int64_t y = 0; y < width; y++) {
            beta[y] = unseen * z + to_hub[y] * row[hub] + stay[y] * row[y];
            counts[y] += before[hub] * row[y];
            counts[width + y] += before[y] * row[hub];
            counts[2 * width + y] += before[y] * row[y];
        }
        beta[hub] += product(row, from_hub, width);
        for (int64_t k = 0; k < strips; k++) {
            double *restrict count = counts + (3 + k) * width;
            for (uint64_t y = 0; y < lengths[k]; y++) {
                beta[starts[k] + y] += excess[(3 + k) * width + starts[k] + y] * row[ends[k] + y];
                count[starts[k] + y] += before[starts[k] + y] * row[ends[k] + y];
            }
        }
        for (int64_t k = 0; k < leading; k++) {
            double onward = 0;
            for (uint64_t q = bounds[k]; q < bounds[k + 1]; q++) {
                onward += other[q] * row[targets[q]];
                other_count[q] += before[sources[k]] * row[targets[q]];
            }
            beta[sources[k]] += onward;
        }
    }
    free(beta);
    free(row);
    return total;
}
