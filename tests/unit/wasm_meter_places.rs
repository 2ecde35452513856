//! Unit tests of `src/wasm/meter/places.rs`, whose child this module is.

use super::of;
use wasm_encoder::{
    BlockType, CodeSection, ConstExpr, ElementSection, Elements, ExportKind, ExportSection,
    Function, FunctionSection, Module, RefType, TableSection, TableType, TypeSection,
};

/// A module of functions that take and give nothing; the first is `sandbox_pass`, and `table`
/// holds others.
fn module(functions: &[&dyn Fn(&mut Function)], table: &[u32]) -> Vec<u8> {
    let (mut types, mut signatures, mut code) =
        (TypeSection::new(), FunctionSection::new(), CodeSection::new());
    types.ty().function([], []);
    for write in functions {
        signatures.function(0);
        let mut function = Function::new([]);
        write(&mut function);
        function.instructions().end();
        code.function(&function);
    }
    let (mut tables, mut exports, mut elements) =
        (TableSection::new(), ExportSection::new(), ElementSection::new());
    let (element_type, maximum) = (RefType::FUNCREF, None);
    tables.table(TableType { element_type, table64: false, minimum: 9, maximum, shared: false });
    exports.export("sandbox_pass", ExportKind::Func, 0);
    elements.active(None, &ConstExpr::i32_const(0), Elements::Functions(table.into()));
    let mut module = Module::new();
    module.section(&types).section(&signatures).section(&tables).section(&exports);
    module.section(&elements).section(&code);
    module.finish()
}

/// For each function whether it counts at its entry.
fn entries(functions: &[&dyn Fn(&mut Function)], table: &[u32]) -> Vec<bool> {
    let places = of(&module(functions, table), 0).unwrap_or_default();
    places.functions.iter().map(|function| function.entry.is_some()).collect()
}

fn calls(callees: &'static [u32]) -> impl Fn(&mut Function) {
    move |function| {
        for callee in callees {
            function.instructions().call(*callee);
        }
    }
}

#[test]
fn the_interpreters_loop_counts_where_it_says_so_and_loops_in_it_at_their_heads() {
    let interpreter = |function: &mut Function| {
        let mut code = function.instructions();
        code.loop_(BlockType::Empty).loop_(BlockType::Empty).call(0).br(0).end();
        code.loop_(BlockType::Empty).nop().br(0).end().end();
    };
    let places = of(&module(&[&calls(&[]), &interpreter], &[]), 0).unwrap_or_default();
    assert_eq!(places.pass, Some(0));
    assert_eq!(places.functions[1].loops, [None, None, Some(3)]);
}

#[test]
fn each_way_round_through_calls_counts_once() {
    let leaf = calls(&[]);
    // 1 and 2 call one another, 3 calls itself; 4 calls them, and 5 calls a leaf.
    let (one, two, three) = (calls(&[2, 6]), calls(&[1]), calls(&[3]));
    let (four, five) = (calls(&[1, 2, 3]), calls(&[6]));
    let functions: &[&dyn Fn(&mut Function)] = &[&leaf, &one, &two, &three, &four, &five, &leaf];
    assert_eq!(entries(functions, &[]), [false, true, false, true, false, false, false]);
    // Through the table all but the leaves may be called again.
    assert_eq!(entries(functions, &[4, 5, 6]), [false, true, false, true, true, true, false]);
}
