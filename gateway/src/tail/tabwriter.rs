//! Aligns columns of text as kubectl does: k8s.io/cli-runtime's printers use a tabwriter with minimal width 6,
//! padding 3, blanks, and widths that are kept from one flush to the next. Never colours, and never shortens.

/// Each cell of a line ends with a tab; the text behind the last tab belongs to no column.
#[derive(Debug, Default)]
pub(super) struct TabWriter {
    /// The largest width that each column ever had.
    remembered: Vec<usize>,
}

const WIDTH_MIN: usize = 6;
const PADDING: usize = 3;

impl TabWriter {
    pub(super) fn format(&mut self, lines: &[String]) -> String {
        // A vertical tab ends a cell as a tab does.
        let cells: Vec<Vec<&str>> = lines.iter().map(|line| line.split(['\t', '\x0b']).collect()).collect();
        let mut text = String::new();
        self.block(&cells, &mut Vec::new(), &mut text);
        text
    }

    /// A column is as wide as its widest cell among neighbouring lines that have it.
    fn block(&mut self, lines: &[Vec<&str>], widths: &mut Vec<usize>, text: &mut String) {
        let column = widths.len();
        let mut rest = lines;
        while let Some((line, behind)) = rest.split_first() {
            let has_column = |line: &Vec<&str>| line.len() > column + 1;
            if !has_column(line) {
                write_line(line, widths, text);
                rest = behind;
                continue;
            }
            let length = rest.iter().position(|line| !has_column(line)).unwrap_or(rest.len());
            let (block, others) = rest.split_at(length);
            let widest =
                block.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max();
            let width = self.remember(column, (widest.unwrap_or(0) + PADDING).max(WIDTH_MIN));
            widths.push(width);
            self.block(block, widths, text);
            widths.pop();
            rest = others;
        }
    }

    fn remember(&mut self, column: usize, width: usize) -> usize {
        if self.remembered.len() <= column {
            self.remembered.resize(column + 1, 0);
        }
        match self.remembered.get_mut(column) {
            Some(widest) => {
                *widest = width.max(*widest);
                *widest
            }
            None => width,
        }
    }
}

fn write_line(line: &[&str], widths: &[usize], text: &mut String) {
    for (place, cell) in line.iter().enumerate() {
        text.push_str(cell);
        if let Some(width) = widths.get(place) {
            text.extend(std::iter::repeat_n(' ', width.saturating_sub(cell.chars().count())));
        }
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(lines: &[&str]) -> String {
        TabWriter::default().format(&lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn columns_are_aligned_as_kubectl_aligns_them() {
        assert_eq!(
            format(&["NAME\tREADY\tAGE", "cart-0\t1/1\t5m", "längst\t0/1\t"]),
            "NAME     READY   AGE\ncart-0   1/1     5m\nlängst   0/1     \n"
        );
        assert_eq!(format(&["A\tB", "a\tb"]), "A     B\na     b\n");
    }

    #[test]
    fn a_tab_inside_a_cell_shifts_only_its_own_line() {
        assert_eq!(format(&["N\tM", "a\tb\tc", "dd\te"]), "N     M\na     b     c\ndd    e\n");
    }

    #[test]
    fn widths_are_remembered_between_flushes() {
        let mut writer = TabWriter::default();
        writer.format(&["long-name-of-a-pod\tx".to_owned()]);
        assert_eq!(writer.format(&["a\tb".to_owned()]), "a                    b\n");
    }
}
