//! Brotli as the gateway sends it. The build script compresses the page with it, and the page's tool measures by it.

use std::io::Write as _;

use brotli::enc::BrotliEncoderParams;
use brotli::enc::backward_references::BrotliEncoderMode;

/// Users get files of this quality.
pub const QUALITY: i32 = 11;
const WINDOW: i32 = 22;
/// The compressor reads 64 KB at a time. With that and the distances of fonts the program is 2,000 bytes smaller.
const BLOCK: i32 = 16;

pub fn brotli(content: &[u8], quality: i32) -> std::io::Result<Vec<u8>> {
    let settings = BrotliEncoderParams {
        quality,
        lgwin: WINDOW,
        lgblock: BLOCK,
        mode: BrotliEncoderMode::BROTLI_MODE_FONT,
        ..BrotliEncoderParams::default()
    };
    let mut writer = brotli::CompressorWriter::with_params(Vec::new(), 4096, &settings);
    writer.write_all(content)?;
    writer.flush()?;
    Ok(writer.into_inner())
}
