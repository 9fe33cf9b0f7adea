//===- FragmentLayout.h - distributes a matrix over lanes -------------------===//
// Implements the algebra behind pumice-emulate-matrices as plain arithmetic, which tests check by
// brute force. All sizes are powers of two, and a matrix has at least as many elements as a
// subgroup has lanes. Element e = row · cols + col is component e div lanes of lane e mod lanes.
// Neighbouring lanes therefore read and write rows, and a lane that holds a column of the result
// also holds that column of B.
//===-------------------------------------------------------------------------===//
#pragma once

#include <bit>
#include <cstdint>

namespace pumice::lower {

struct FragmentLayout {
  uint32_t rows, cols, lanes;

  bool isValid() const {
    return std::has_single_bit(rows) && std::has_single_bit(cols) && std::has_single_bit(lanes) &&
           rows * cols % lanes == 0;
  }
  /// Returns the number of elements that a lane holds.
  uint32_t components() const { return rows * cols / lanes; }

  /// A component's row is rowOf(component) + rowOfLane(lane). Its column is computed in the same
  /// way.
  uint32_t rowOf(uint32_t component) const { return component * lanes / cols; }
  uint32_t colOf(uint32_t component) const { return component * lanes % cols; }
  uint32_t rowOfLane(uint32_t lane) const { return lane / cols; }
  uint32_t colOfLane(uint32_t lane) const { return lane % cols; }
};

/// Maps each component `c` of result = A(m×k) · B(k×n) in lane `lane` to the factors that it needs.
/// There is one pair of factors for every `step` of the sum over k.
struct ProductPlan {
  uint32_t m, n, k, lanes;

  FragmentLayout a() const { return {m, k, lanes}; }
  FragmentLayout b() const { return {k, n, lanes}; }
  FragmentLayout result() const { return {m, n, lanes}; }

  /// Returns the number of rows of the result that one component covers. Lane l is in row group l
  /// div n.
  uint32_t groups() const { return lanes > n ? lanes / n : 1; }
  uint32_t groupOf(uint32_t lane) const { return lane / n % groups(); }

  /// Returns the number of the element of A, in row-major order, that group 0 needs. Group g needs
  /// the element that is g·k places further on.
  uint32_t aElement(uint32_t c, uint32_t step) const { return result().rowOf(c) * k + step; }
  uint32_t aComponent(uint32_t element, uint32_t group) const {
    return (element + group * k) / lanes;
  }
  uint32_t aLane(uint32_t element, uint32_t group) const { return (element + group * k) % lanes; }

  /// Returns whether lanes exchange elements of B, because a component covers several rows.
  /// Otherwise each lane holds the columns that it needs.
  bool exchangesB() const { return lanes > n; }
  uint32_t bComponent(uint32_t c, uint32_t step) const {
    return (step * n + result().colOf(c)) / lanes;
  }
  uint32_t bLane(uint32_t step, uint32_t lane) const {
    return exchangesB() ? (step * n + lane % n) % lanes : lane;
  }
};

} // namespace pumice::lower
