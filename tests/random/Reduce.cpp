//===- Reduce.cpp - a smaller program that shows the same -------------------===//
#include "tests/random/Reduce.h"

#include <iterator>
#include <utility>

namespace pumice::random_programs {
namespace {

using Body = std::vector<Stmt>;

/// Returns every list of statements of the program, in the order of a walk, which is the same in
/// each copy.
void bodiesOf(Body &body, std::vector<Body *> &into) {
  into.push_back(&body);
  for (Stmt &stmt : body)
    for (Body &inner : stmt.bodies)
      bodiesOf(inner, into);
}

std::vector<Body *> bodiesOf(Program &program) {
  std::vector<Body *> all;
  for (Function &function : program.functions)
    bodiesOf(function.body, all);
  return all;
}

/// Collects expressions that may be replaced. Places that are written are not among them.
void exprsOf(Expr &expr, std::vector<Expr *> &into) {
  into.push_back(&expr);
  for (Expr &operand : expr.operands)
    exprsOf(operand, into);
}

std::vector<Expr *> exprsOf(Program &program) {
  std::vector<Expr *> all;
  for (Body *body : bodiesOf(program))
    for (Stmt &stmt : *body)
      for (size_t i = 0; i < stmt.exprs.size(); ++i) {
        bool place = stmt.kind == StmtKind::Copy || (stmt.kind == StmtKind::Store && i == 0) ||
                     (stmt.kind == StmtKind::Take && i != 1);
        if (!place)
          exprsOf(stmt.exprs[i], all);
        else
          for (Expr &operand : stmt.exprs[i].operands)
            exprsOf(operand, all);
      }
  return all;
}

bool isConstant(const Expr &expr) {
  if (expr.kind == ExprKind::Construct) {
    for (const Expr &part : expr.operands)
      if (!isConstant(part))
        return false;
    return true;
  }
  return expr.kind == ExprKind::Constant;
}

Expr zero(const Types &types, TypeId type) {
  Expr made{.kind = ExprKind::Constant, .type = type};
  if (types.isScalar(type))
    return made;
  made.kind = ExprKind::Construct;
  for (uint32_t i = 0; i < types[type].count; ++i)
    made.operands.push_back(zero(types, types.part(type, i)));
  return made;
}

/// Returns the length of the list with that number; 0 if there is no such list any more.
size_t lengthOf(Program &program, size_t body) {
  std::vector<Body *> all = bodiesOf(program);
  return body < all.size() ? all[body]->size() : 0;
}

class Reducer {
public:
  Reducer(Program program, const std::function<bool(const Program &)> &shows, unsigned most)
      : program(std::move(program)), shows(shows), left(most) {}

  Program run() {
    for (bool smaller = true; smaller && left;) {
      smaller = takeOut();
      smaller |= unwrap();
      smaller |= simplify();
      smaller |= shrink();
    }
    return std::move(program);
  }

private:
  bool keep(Program &candidate) {
    if (!left)
      return false;
    --left;
    if (!shows(candidate))
      return false;
    program = std::move(candidate);
    return true;
  }

  /// Removes runs of statements, long ones first.
  bool takeOut() {
    bool any = false;
    for (size_t length = 8; length; length /= 2)
      for (size_t i = 0; i < bodiesOf(program).size(); ++i)
        for (size_t at = 0; at < lengthOf(program, i);) {
          Program candidate = program;
          Body &body = *bodiesOf(candidate)[i];
          auto first = body.begin() + static_cast<ptrdiff_t>(at);
          body.erase(first, first + static_cast<ptrdiff_t>(std::min(length, body.size() - at)));
          if (keep(candidate))
            any = true;
          else
            ++at;
        }
    return any;
  }

  /// Replaces a construct by one of its bodies.
  bool unwrap() {
    bool any = false;
    for (size_t i = 0; i < bodiesOf(program).size(); ++i)
      for (size_t at = 0; at < lengthOf(program, i); ++at)
        for (size_t inner = 0;
             at < lengthOf(program, i) && inner < (*bodiesOf(program)[i])[at].bodies.size();
             ++inner) {
          Program candidate = program;
          Body &body = *bodiesOf(candidate)[i];
          if (body[at].kind == StmtKind::Exchange) // its barriers keep its bodies apart
            break;
          Body taken = std::move(body[at].bodies[inner]);
          body.erase(body.begin() + static_cast<ptrdiff_t>(at));
          body.insert(body.begin() + static_cast<ptrdiff_t>(at),
                      std::make_move_iterator(taken.begin()), std::make_move_iterator(taken.end()));
          any |= keep(candidate);
        }
    return any;
  }

  bool simplify() {
    bool any = false;
    for (size_t i = 0; i < exprsOf(program).size(); ++i) {
      Expr &here = *exprsOf(program)[i];
      if (isConstant(here))
        continue;
      Program candidate = program;
      // A pointer that is passed to a function cannot become a value, since the module would be
      // invalid.
      *exprsOf(candidate)[i] = zero(program.types, here.type);
      if (keep(candidate)) {
        any = true;
        continue;
      }
      for (size_t operand = 0; operand < exprsOf(program)[i]->operands.size(); ++operand) {
        Program other = program;
        Expr &place = *exprsOf(other)[i];
        if (place.operands[operand].type != place.type)
          continue;
        Expr taken = std::move(place.operands[operand]);
        place = std::move(taken);
        if (keep(other)) {
          any = true;
          break;
        }
      }
    }
    return any;
  }

  /// Makes workgroups fewer and smaller, loops shorter, and digests of fewer variables.
  bool shrink() {
    bool any = false;
    auto attempt = [&](auto change) {
      Program candidate = program;
      if (change(candidate))
        any |= keep(candidate);
    };
    for (size_t d = 0; d < 3; ++d) {
      attempt([&](Program &p) { return std::exchange(p.groups[d], 1) != 1; });
      for (uint32_t size : {1u, 2u, 4u, 8u})
        attempt([&](Program &p) { return std::exchange(p.workgroup[d], size) > size; });
    }
    for (size_t i = 0; i < bodiesOf(program).size(); ++i)
      for (size_t at = 0; at < bodiesOf(program)[i]->size(); ++at) {
        for (size_t v = 0; v < (*bodiesOf(program)[i])[at].variables.size(); ++v)
          attempt([&](Program &p) {
            auto &variables = (*bodiesOf(p)[i])[at].variables;
            variables.erase(variables.begin() + static_cast<ptrdiff_t>(v));
            return true;
          });
        attempt([&](Program &p) {
          Stmt &stmt = (*bodiesOf(p)[i])[at];
          return stmt.kind == StmtKind::Loop && std::exchange(stmt.most, 2) > 2;
        });
      }
    while (program.functions.size() > 1) { // removes the last functions that have no callers
      Program candidate = program;
      for (const Expr *expr : exprsOf(candidate))
        if (expr->kind == ExprKind::Call && expr->literal + 1 == program.functions.size())
          return any;
      candidate.functions.pop_back();
      if (!keep(candidate))
        break;
      any = true;
    }
    return any;
  }

  Program program;
  const std::function<bool(const Program &)> &shows;
  unsigned left;
};

} // namespace

Program reduce(Program program, const std::function<bool(const Program &)> &shows, unsigned most) {
  return Reducer(std::move(program), shows, most).run();
}

} // namespace pumice::random_programs
