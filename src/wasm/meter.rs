//! Metering of our own: puts a counter into the guest's code before it is compiled.
//!
//! wasmtime's own fuel and epochs together cost a guest a sixth of its time (2.67 to 2.25 times
//! native, see `benches/RESULTS.md`): each keeps values of its own in registers, of which the
//! interpreter's loop has too few, and stores them around every call. Here one global of 32 bits is
//! counted down wherever code can repeat ([`places`]): at the heads of loops, at the entries of
//! functions that can be called in a circle, and in the interpreter's loop where Python code can
//! repeat an instruction. The code between two such places takes a bounded time, except for filling
//! and copying memory, which counts by its length. When the counter is below zero the guest calls
//! the host ([`TICK`]), which books the fuel, checks the order to stop, and allows the next slice.
//!
//! The guest cannot get around it: its code is fixed when it is compiled, and no address of its
//! memory leads to a global.

mod places;

use places::{FunctionPlaces, MOST, Places};
use std::convert::Infallible;
use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{
    BlockType, BranchHint, BranchHints, CodeSection, ConstExpr, EntityType, ExportKind,
    ExportSection, Function, GlobalSection, GlobalType, ImportSection, Module, SectionId,
    TypeSection, ValType,
};
use wasmparser::{FunctionBody, Operator, Parser, Payload, TypeRef};

/// Module and name of the function that the metered code imports.
pub(super) const TICK: (&str, &str) = ("mcp_python_sandbox", "tick");
/// The exported global: units left of the slice that the host allowed.
pub(super) const COUNTER: &str = "mcp_python_sandbox_fuel";
/// The exported pointer to the end of the guest's own C stack, which lies at the start of its
/// memory and grows downwards.
pub(super) const STACK: &str = "mcp_python_sandbox_stack";
/// The first global that the linker makes is the stack pointer.
const STACK_POINTER: u32 = 0;
/// Part of a compiled guest's name: to be raised with each change of what the code below writes.
pub(super) const VERSION: u32 = 3;

/// Bytes that an instruction which fills or copies memory may do for one unit, as a power of two.
const BYTES_SHIFT: i32 = 4;

/// Why a module cannot have a meter.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(super) enum NotMetered {
    Read(#[from] wasmparser::BinaryReaderError),
    Write(#[from] Error),
}

/// `wasm`, which has imported functions, globals and code, with a meter: it imports [`TICK`] and
/// exports [`COUNTER`] and [`STACK`].
pub(super) fn metered(wasm: &[u8]) -> Result<Vec<u8>, NotMetered> {
    let mut meter = Meter::of(wasm)?;
    // The hints come before the code that they refer to, so it is written twice.
    let mut module = Module::new();
    for _ in 0..2 {
        module = Module::new();
        meter.function = meter.imports + 1;
        meter.parse_core_module(&mut module, Parser::new(0), wasm)?;
    }
    Ok(module.finish())
}

/// Where the additions stand in the module, and what is known of the code so far.
struct Meter {
    /// Imported functions, and so the index of [`TICK`], which is the last of them.
    imports: u32,
    /// Index of the type of [`TICK`].
    tick_type: u32,
    /// Index of [`COUNTER`]; a second global after it holds a length for a moment.
    counter: u32,
    places: Places,
    /// Index of the function that is written next.
    function: u32,
    /// For each function, the places of the branches to the host: never likely.
    hints: Vec<(u32, Vec<BranchHint>)>,
}

impl Meter {
    fn of(wasm: &[u8]) -> wasmparser::Result<Self> {
        let places = Places::default();
        let mut meter =
            Self { imports: 0, tick_type: 0, counter: 0, places, function: 0, hints: Vec::new() };
        for payload in Parser::new(0).parse_all(wasm) {
            match payload? {
                Payload::TypeSection(section) => {
                    for group in section {
                        meter.tick_type += u32::try_from(group?.types().len()).unwrap_or(u32::MAX);
                    }
                }
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        match import?.ty {
                            TypeRef::Func(_) | TypeRef::FuncExact(_) => meter.imports += 1,
                            TypeRef::Global(_) => meter.counter += 1,
                            _ => {}
                        }
                    }
                }
                Payload::GlobalSection(section) => meter.counter += section.count(),
                Payload::CodeSectionStart { .. } => break,
                _ => {}
            }
        }
        meter.places = places::of(wasm, meter.imports)?;
        Ok(meter)
    }

    /// Counts `cost` units down, and calls the host if none are left. The check comes last, because
    /// the value that has just been stored need not be loaded again.
    fn count(&self, function: &mut Function, cost: i32, hints: &mut Vec<BranchHint>) {
        let mut code = function.instructions();
        code.global_get(self.counter).i32_const(cost).i32_sub().global_set(self.counter);
        code.global_get(self.counter).i32_const(0).i32_lt_s();
        let branch_func_offset = u32::try_from(function.byte_len()).unwrap_or(u32::MAX);
        hints.push(BranchHint { branch_func_offset, branch_hint_value: 0 });
        function.instructions().if_(BlockType::Empty).call(self.imports).end();
    }

    /// Counts the length of a fill or copy, which is the topmost value and stays there.
    fn count_bytes(&self, function: &mut Function) {
        let length = self.counter + 1;
        let mut code = function.instructions();
        code.global_set(length).global_get(self.counter).global_get(length);
        code.i32_const(BYTES_SHIFT).i32_shr_u().i32_sub().global_set(self.counter);
        code.global_get(length);
    }
}

impl Reencode for Meter {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, Error> {
        Ok(if function < self.imports { function } else { function + 1 })
    }

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: wasmparser::TypeSectionReader<'_>,
    ) -> Result<(), Error> {
        utils::parse_type_section(self, types, section)?;
        types.ty().function([], []);
        Ok(())
    }

    fn parse_import_section(
        &mut self,
        imports: &mut ImportSection,
        section: wasmparser::ImportSectionReader<'_>,
    ) -> Result<(), Error> {
        utils::parse_import_section(self, imports, section)?;
        imports.import(TICK.0, TICK.1, EntityType::Function(self.tick_type));
        Ok(())
    }

    fn parse_global_section(
        &mut self,
        globals: &mut GlobalSection,
        section: wasmparser::GlobalSectionReader<'_>,
    ) -> Result<(), Error> {
        utils::parse_global_section(self, globals, section)?;
        let kind = GlobalType { val_type: ValType::I32, mutable: true, shared: false };
        globals.global(kind, &ConstExpr::i32_const(0));
        globals.global(kind, &ConstExpr::i32_const(0));
        Ok(())
    }

    fn parse_export_section(
        &mut self,
        exports: &mut ExportSection,
        section: wasmparser::ExportSectionReader<'_>,
    ) -> Result<(), Error> {
        utils::parse_export_section(self, exports, section)?;
        exports.export(COUNTER, ExportKind::Global, self.counter);
        exports.export(STACK, ExportKind::Global, STACK_POINTER);
        Ok(())
    }

    fn intersperse_section_hook(
        &mut self,
        module: &mut Module,
        _after: Option<SectionId>,
        before: Option<SectionId>,
    ) -> Result<(), Error> {
        if before == Some(SectionId::Code) {
            let mut section = BranchHints::new();
            for (function, hints) in self.hints.drain(..) {
                section.function_hints(function, hints);
            }
            module.section(&section);
        }
        Ok(())
    }

    fn parse_function_body(
        &mut self,
        code: &mut CodeSection,
        body: FunctionBody<'_>,
    ) -> Result<(), Error> {
        let index = (self.function - self.imports - 1) as usize;
        let places = self.places.functions.get(index).cloned();
        let FunctionPlaces { entry, loops } = places.unwrap_or_default();
        let mut function = self.new_function_with_parsed_locals(&body)?;
        let mut hints = Vec::new();
        if let Some(cost) = entry {
            self.count(&mut function, cost, &mut hints);
        }
        let mut loops = loops.into_iter();
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            let operator = operators.read()?;
            if matches!(operator, Operator::MemoryFill { .. } | Operator::MemoryCopy { .. }) {
                self.count_bytes(&mut function);
            }
            if let Operator::Call { function_index } = operator
                && Some(function_index) == self.places.pass
            {
                // The call itself does nothing and is left out.
                self.count(&mut function, MOST, &mut hints);
                continue;
            }
            let is_loop = matches!(operator, Operator::Loop { .. });
            function.instruction(&self.instruction(operator)?);
            if is_loop && let Some(Some(cost)) = loops.next() {
                self.count(&mut function, cost, &mut hints);
            }
        }
        if !hints.is_empty() {
            self.hints.push((self.function, hints));
        }
        self.function += 1;
        code.function(&function);
        Ok(())
    }
}
