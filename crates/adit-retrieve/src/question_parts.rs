use crate::Retriever;
use crate::understand::parts;

impl Retriever {
    /// The parts of a question that can be looked up one by one, by rules and without a model: several questions
    /// in a row, or what is compared. Empty when the question is one.
    #[must_use]
    pub fn question_parts(&self, question: &str) -> Vec<String> {
        parts(question, self.index().snapshot().languages())
    }
}
