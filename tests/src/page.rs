//! Reads the page as a person does: the cells on screen, the pill, the notice line.
