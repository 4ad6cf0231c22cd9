import NIOConcurrencyHelpers

/// Collects a fixed number of answers, and calls a completion with all of them when the last one has arrived. May be used from any thread.
final class GatheredAnswers<Answer: Sendable>: Sendable {
    private struct State {
        var answers: [Answer?]
        var missing: Int
    }

    private let state: NIOLockedValueBox<State>
    private let completion: @Sendable ([Answer]) -> Void

    /// Makes a collector of answers.
    ///
    /// - Parameters:
    ///   - count: the number of answers, 1 or more.
    ///   - completion: called with all answers in the order of their indices, by the thread that adds the last one.
    init(_ count: Int, _ completion: @escaping @Sendable ([Answer]) -> Void) {
        state = NIOLockedValueBox(State(answers: Array(repeating: nil, count: max(count, 0)), missing: max(count, 0)))
        self.completion = completion
    }

    /// Adds an answer. A second answer with the same index is ignored.
    func add(_ answer: Answer, at index: Int) {
        let all = state.withLockedValue { state -> [Answer]? in
            guard state.answers.indices.contains(index), state.answers[index] == nil else { return nil }
            state.answers[index] = answer
            state.missing -= 1
            return state.missing == 0 ? state.answers.compactMap { $0 } : nil
        }
        if let all { completion(all) }
    }
}
