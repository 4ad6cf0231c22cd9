import DequeModule
import Identifiers
import NIOConcurrencyHelpers

/// Lets things that read and then change the same conversation happen one after the other, so that none undoes another.
final class ConversationQueue: Sendable {
    typealias Job = @Sendable (_ done: @escaping @Sendable () -> Void) -> Void

    /// Who waits, by conversation. There is an entry as long as somebody has the turn.
    private let waiting = NIOLockedValueBox<[Identifier: Deque<Job>]>([:])

    /// Runs `job`, now or when those before it are done. It has to call what it is given, once.
    func run(_ conversation: Identifier, _ job: @escaping Job) {
        let isFirst = waiting.withLockedValue { waiting in
            guard waiting[conversation] != nil else {
                waiting[conversation] = []
                return true
            }
            waiting[conversation]?.append(job)
            return false
        }
        if isFirst { job { self.next(conversation) } }
    }

    private func next(_ conversation: Identifier) {
        let job: Job? = waiting.withLockedValue { waiting in
            let next = waiting[conversation]?.popFirst()
            if next == nil { waiting[conversation] = nil }
            return next
        }
        job? { self.next(conversation) }
    }
}
