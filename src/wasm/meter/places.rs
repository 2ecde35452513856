//! Where the meter counts, and how much.

use wasmparser::{
    BinaryReaderError, ElementItems, ElementSectionReader, FunctionBody, Operator, Parser, Payload,
};

/// Most that one pass through a loop or function is charged for: of the branches of a long body few
/// are taken. A pass through the interpreter's loop is charged this.
pub(super) const MOST: i32 = 40;
/// What a call counts beside the instructions of the function, if those are not counted.
const CALL: i32 = 4;
/// The exported function that the guest calls where its interpreter's loop can repeat an
/// instruction.
const PASS: &str = "sandbox_pass";

/// Where the functions of a module count.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub(super) functions: Vec<FunctionPlaces>,
    /// Index of [`PASS`], whose calls count and need not be made.
    pub(super) pass: Option<u32>,
}

/// Where a function counts, and how much.
#[derive(Debug, Default, Clone)]
pub(super) struct FunctionPlaces {
    pub(super) entry: Option<i32>,
    /// At the head of each of its loops, in the order in which they begin.
    pub(super) loops: Vec<Option<i32>>,
}

/// The places of `wasm`, whose first functions, `imports` of them, are imported.
///
/// Every cycle in the control flow passes one of them. A cycle within a function has the head of a
/// loop, or the call of [`PASS`] if the loop is the interpreter's. A cycle through calls has an
/// indirect call, which leads to the entry of a function in the table; or it has direct calls only,
/// and a depth-first walk over those finds the function that is called while it is still open. No
/// other function needs to count at its entry.
pub(super) fn of(wasm: &[u8], imports: u32) -> Result<Places, BinaryReaderError> {
    let mut pass = None;
    // Functions that may be called indirectly.
    let mut named = Vec::new();
    let mut bodies = Vec::new();
    for payload in Parser::new(0).parse_all(wasm) {
        match payload? {
            Payload::ExportSection(section) => {
                for export in section {
                    let export = export?;
                    if export.name == PASS {
                        pass = Some(export.index);
                    }
                }
            }
            Payload::ElementSection(section) => functions_of_table(section, &mut named)?,
            Payload::CodeSectionEntry(body) => bodies.push(Code::of(&body, pass, &mut named)?),
            _ => {}
        }
    }
    let own = |function: u32| function.checked_sub(imports).map(|index| index as usize);
    let mut counted = vec![false; bodies.len()];
    for function in named {
        if let Some(counted) = own(function).and_then(|index| counted.get_mut(index)) {
            *counted = true;
        }
    }
    count_returns(&bodies, own, &mut counted);
    let functions =
        bodies.into_iter().zip(counted).map(|(body, counted)| body.places(counted)).collect();
    Ok(Places { functions, pass })
}

fn functions_of_table(
    section: ElementSectionReader<'_>,
    named: &mut Vec<u32>,
) -> Result<(), BinaryReaderError> {
    for element in section {
        match element?.items {
            ElementItems::Functions(items) => {
                for function in items {
                    named.push(function?);
                }
            }
            ElementItems::Expressions(_, items) => {
                for item in items {
                    for operator in item?.get_operators_reader() {
                        if let Operator::RefFunc { function_index } = operator? {
                            named.push(function_index);
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

/// Adds to `counted` the functions that close a cycle of direct calls among those that are not
/// counted: a depth-first walk meets them while they are open.
fn count_returns(bodies: &[Code], own: impl Fn(u32) -> Option<usize>, counted: &mut [bool]) {
    #[derive(Clone, Copy, PartialEq)]
    enum Reached {
        New,
        Open,
        Left,
    }
    let mut states = vec![Reached::New; bodies.len()];
    for root in 0..bodies.len() {
        // Each open function with its callees that are still to be looked at.
        let mut open = Vec::new();
        let mut next = Some(root);
        loop {
            if let Some(function) = next.take()
                && !counted[function]
            {
                match states[function] {
                    Reached::New => {
                        states[function] = Reached::Open;
                        open.push((function, bodies[function].callees.iter()));
                    }
                    Reached::Open => counted[function] = true,
                    Reached::Left => {}
                }
            }
            let Some((function, callees)) = open.last_mut() else { break };
            if let Some(callee) = callees.next() {
                next = own(*callee).filter(|callee| *callee < bodies.len());
            } else {
                states[*function] = Reached::Left;
                open.pop();
            }
        }
    }
}

/// The calls and loops of a function.
struct Code {
    entry: i32,
    loops: Vec<Loop>,
    /// Whether it calls anything; if not, it cannot come back to itself.
    calls: bool,
    /// The functions that it calls by their number.
    callees: Vec<u32>,
}

struct Loop {
    cost: i32,
    /// The loop around it.
    outer: Option<usize>,
    /// Whether it calls [`PASS`], and so counts by itself.
    passes: bool,
}

impl Code {
    /// Every instruction counts for the innermost loop that it stands in.
    fn of(
        body: &FunctionBody<'_>,
        pass: Option<u32>,
        named: &mut Vec<u32>,
    ) -> Result<Self, BinaryReaderError> {
        let mut this = Self { entry: 1, loops: Vec::new(), calls: false, callees: Vec::new() };
        // For each open block the loop that it belongs to.
        let mut open: Vec<Option<usize>> = vec![None];
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            let innermost = open.last().copied().flatten();
            let mut cost = 1;
            match operators.read()? {
                Operator::Loop { .. } => {
                    open.push(Some(this.loops.len()));
                    this.loops.push(Loop { cost: 1, outer: innermost, passes: false });
                }
                Operator::Block { .. } | Operator::If { .. } | Operator::TryTable { .. } => {
                    open.push(innermost);
                }
                Operator::End => {
                    open.pop();
                    cost = 0;
                }
                Operator::Call { function_index } if Some(function_index) == pass => {
                    this.passes(innermost);
                }
                Operator::Call { function_index } | Operator::ReturnCall { function_index } => {
                    this.calls = true;
                    this.callees.push(function_index);
                    cost = CALL;
                }
                Operator::CallIndirect { .. }
                | Operator::CallRef { .. }
                | Operator::ReturnCallIndirect { .. }
                | Operator::ReturnCallRef { .. } => {
                    this.calls = true;
                    cost = CALL;
                }
                Operator::RefFunc { function_index } => named.push(function_index),
                _ => {}
            }
            let innermost = innermost.and_then(|index| this.loops.get_mut(index));
            let total = innermost.map_or(&mut this.entry, |innermost| &mut innermost.cost);
            *total = total.saturating_add(cost).min(MOST);
        }
        Ok(this)
    }

    /// Notes that the loop and those around it count by themselves.
    fn passes(&mut self, mut at: Option<usize>) {
        while let Some(index) = at {
            self.loops[index].passes = true;
            at = self.loops[index].outer;
        }
    }

    fn places(self, counted: bool) -> FunctionPlaces {
        let loops = self.loops.iter().map(|at| (!at.passes).then_some(at.cost)).collect();
        FunctionPlaces { entry: (counted && self.calls).then_some(self.entry), loops }
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/wasm_meter_places.rs"]
mod tests;
