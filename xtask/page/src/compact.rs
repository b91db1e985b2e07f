//! A wasm file as it is served: without what no browser reads, each number as short as it can be, and functions that are
//! alike beside each other. A generic function that is compiled for several types compresses to little more than one of
//! them where they are neighbours; the linker leaves them in the order of the crates.

mod order;

use std::collections::HashMap;
use std::io;

use anyhow::{Context, Result};
use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{CodeSection, Function, FunctionSection, Module, RawSection};
use wasmparser::{FunctionBody, Parser, Payload, TypeRef};

/// The file with its functions in another order. Custom sections are left out: names and relocations.
pub(crate) fn compact(wasm: &[u8]) -> Result<Vec<u8>> {
    let file = File::read(wasm)?;
    let mut reencoder = Reordered::of(&file)?;
    let mut module = Module::new();
    for payload in Parser::new(0).parse_all(wasm) {
        write(&payload?, wasm, &file, &mut reencoder, &mut module)?;
    }
    Ok(module.finish())
}

/// The functions of a file in their new order.
struct File<'a> {
    imported: usize,
    functions: Vec<Defined<'a>>,
}

#[derive(Clone)]
struct Defined<'a> {
    /// Its place in the old order.
    was: usize,
    type_index: u32,
    body: FunctionBody<'a>,
}

impl<'a> File<'a> {
    fn read(wasm: &'a [u8]) -> Result<Self> {
        let (mut imported, mut types, mut functions) = (0, Vec::new(), Vec::new());
        for payload in Parser::new(0).parse_all(wasm) {
            match payload.context("a wasm file that can't be read")? {
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        imported += usize::from(matches!(import?.ty, TypeRef::Func(_)));
                    }
                }
                Payload::FunctionSection(section) => types = section.into_iter().collect::<Result<_, _>>()?,
                Payload::CodeSectionEntry(body) => {
                    let was = functions.len();
                    let type_index = *types.get(was).context("a function without a type")?;
                    functions.push(Defined { was, type_index, body });
                }
                _ => {}
            }
        }
        let mut numbers = HashMap::new();
        let instructions = functions.iter().map(|function| instructions(&function.body, &mut numbers));
        let order = order::order(&instructions.collect::<Result<Vec<_>>>()?);
        let functions = order.into_iter().filter_map(|was| functions.get(was).cloned()).collect();
        Ok(Self { imported, functions })
    }
}

/// The instructions of a function by numbers: the same one has the same number.
fn instructions<'a>(body: &FunctionBody<'a>, numbers: &mut HashMap<&'a [u8], usize>) -> Result<Vec<usize>> {
    let (start, code) = (body.range().start, body.as_bytes());
    let mut reader = body.get_operators_reader()?;
    let mut instructions = Vec::new();
    while !reader.eof() {
        let from = reader.original_position();
        reader.read()?;
        let place = usize::try_from(from - start)?..usize::try_from(reader.original_position() - start)?;
        let next = numbers.len();
        let bytes = code.get(place).context("an instruction that is cut")?;
        instructions.push(*numbers.entry(bytes).or_insert(next));
    }
    Ok(instructions)
}

/// A section, written anew if it names functions or has padded numbers.
fn write(
    payload: &Payload<'_>,
    wasm: &[u8],
    file: &File<'_>,
    reencoder: &mut Reordered,
    module: &mut Module,
) -> Result<()> {
    match payload {
        Payload::CustomSection(_) => {}
        Payload::FunctionSection(_) => {
            let mut section = FunctionSection::new();
            for function in &file.functions {
                section.function(function.type_index);
            }
            module.section(&section);
        }
        Payload::ExportSection(exports) => {
            let mut section = wasm_encoder::ExportSection::new();
            reencoder.parse_export_section(&mut section, exports.clone())?;
            module.section(&section);
        }
        Payload::StartSection { func, .. } => {
            let function_index = reencoder.function_index(*func)?;
            module.section(&wasm_encoder::StartSection { function_index });
        }
        Payload::ElementSection(elements) => {
            let mut section = wasm_encoder::ElementSection::new();
            reencoder.parse_element_section(&mut section, elements.clone())?;
            module.section(&section);
        }
        Payload::CodeSectionStart { .. } => {
            let mut section = CodeSection::new();
            for defined in &file.functions {
                section.function(&function(&defined.body, reencoder)?);
            }
            module.section(&section);
        }
        Payload::GlobalSection(globals) => {
            let mut section = wasm_encoder::GlobalSection::new();
            reencoder.parse_global_section(&mut section, globals.clone())?;
            module.section(&section);
        }
        other => {
            if let Some((id, place)) = other.as_section() {
                let place = usize::try_from(place.start)?..usize::try_from(place.end)?;
                let data = wasm.get(place).context("a section that is cut")?;
                module.section(&RawSection { id, data });
            }
        }
    }
    Ok(())
}

fn function<R: Reencode>(body: &FunctionBody<'_>, reencoder: &mut R) -> Result<Function, Error<R::Error>> {
    let mut function = reencoder.new_function_with_parsed_locals(body)?;
    let mut instructions = body.get_operators_reader()?;
    while !instructions.eof() {
        function.instruction(&reencoder.parse_instruction(&mut instructions)?);
    }
    Ok(function)
}

/// Numbers functions as they stand in the new order.
struct Reordered {
    imported: usize,
    /// By the place in the old order.
    indices: Vec<u32>,
}

impl Reordered {
    fn of(file: &File<'_>) -> Result<Self> {
        let mut indices = vec![0; file.functions.len()];
        for (place, function) in file.functions.iter().enumerate() {
            *indices.get_mut(function.was).context("a function of no place")? =
                u32::try_from(file.imported + place)?;
        }
        Ok(Self { imported: file.imported, indices })
    }
}

impl Reencode for Reordered {
    type Error = io::Error;

    fn function_index(&mut self, function: u32) -> Result<u32, Error<Self::Error>> {
        let place = usize::try_from(function).ok().and_then(|function| function.checked_sub(self.imported));
        match place.map(|place| self.indices.get(place)) {
            None => Ok(function),
            Some(Some(index)) => Ok(*index),
            Some(None) => Err(Error::UserError(io::Error::other(format!("there is no function {function}")))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Functions that call each other, from their bodies' texts.
    fn names_and_calls(wasm: &[u8]) -> Result<String> {
        let mut said = String::new();
        for payload in Parser::new(0).parse_all(wasm) {
            match payload? {
                Payload::ExportSection(exports) => {
                    for export in exports {
                        let export = export?;
                        said += &format!("{}={} ", export.name, export.index);
                    }
                }
                Payload::CodeSectionEntry(body) => {
                    for operator in body.get_operators_reader()? {
                        said += &format!("{:?} ", operator?);
                    }
                }
                Payload::CustomSection(_) => said += "custom ",
                _ => {}
            }
        }
        Ok(said)
    }

    #[test]
    fn functions_are_in_another_order_and_each_calls_what_it_called() -> Result<()> {
        let header = b"\0asm\x01\0\0\0";
        let (types, functions) = ([1, 4, 1, 0x60, 0, 0], [3, 4, 3, 0, 0, 0]);
        let exports = [7, 5, 1, 1, b'a', 0, 1];
        // The first and the third are alike; the second calls the third, with a padded number.
        let like = [4, 0, 1, 1, 0x0b];
        let calls = [8, 0, 0x10, 0x82, 0x80, 0x80, 0x80, 0, 0x0b];
        let code = [&[10, 20, 3][..], &like, &calls, &like].concat();
        let custom = [0, 2, 1, b'b'];
        let wasm = [&header[..], &types, &functions, &exports, &code, &custom].concat();
        assert_eq!(
            names_and_calls(&wasm)?,
            "a=1 Nop Nop End Call { function_index: 2 } End Nop Nop End custom "
        );
        let compacted = compact(&wasm)?;
        assert_eq!(
            names_and_calls(&compacted)?,
            "a=2 Nop Nop End Nop Nop End Call { function_index: 1 } End "
        );
        assert_eq!(compact(&compacted)?, compacted);
        assert!(compact(&wasm[..wasm.len() - 5]).is_err() && compact(b"\0asm").is_err());
        Ok(())
    }
}
