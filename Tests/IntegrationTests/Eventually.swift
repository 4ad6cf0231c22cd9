import NIOConcurrencyHelpers

/// What callbacks saw, and a way to wait for it without sleeping.
final class Seen<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var waiting: [(condition: @Sendable ([Element]) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = NIOLockedValueBox(State())

    var elements: [Element] { state.withLockedValue { $0.elements } }

    func append(_ element: Element) {
        let ready = state.withLockedValue { state in
            state.elements.append(element)
            let elements = state.elements
            let ready = state.waiting.filter { $0.condition(elements) }
            state.waiting.removeAll { $0.condition(elements) }
            return ready
        }
        for (_, continuation) in ready { continuation.resume() }
    }

    /// Returns when `condition` holds. The test's time limit is the bound.
    func wait(until condition: @escaping @Sendable ([Element]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMet = state.withLockedValue { state in
                if condition(state.elements) { return true }
                state.waiting.append((condition, continuation))
                return false
            }
            if isMet { continuation.resume() }
        }
    }
}

extension Seen where Element: Equatable {
    /// Returns when `element` was seen `count` times.
    func wait(for element: Element, count: Int = 1) async {
        await wait { $0.count { $0 == element } >= count }
    }
}
