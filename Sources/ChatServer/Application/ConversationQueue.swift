import DequeModule
import Identifiers
import NIOConcurrencyHelpers

/// Runs the jobs of a conversation one after the other. Each job reads and then changes the conversation, and must not overwrite the change
/// of another job.
///
/// Users take turns: a user with many jobs delays the next job of another user by one job.
final class ConversationQueue: Sendable {
    typealias Job = @Sendable (_ done: @escaping @Sendable () -> Void) -> Void

    private struct Line: Sendable {
        /// Jobs that wait for earlier jobs of the same conversation, by user.
        var jobs: [Identifier: Deque<Job>] = [:]
        /// The users who have jobs, in the order in which their next jobs run.
        var users: Deque<Identifier> = []

        mutating func append(_ job: @escaping Job, of user: Identifier) {
            if jobs[user] == nil { users.append(user) }
            jobs[user, default: []].append(job)
        }

        mutating func popFirst() -> Job? {
            guard let user = users.popFirst(), let job = jobs[user]?.popFirst() else { return nil }
            if jobs[user]?.isEmpty == true { jobs[user] = nil } else { users.append(user) }
            return job
        }
    }

    /// Waiting jobs, by conversation. There is an entry as long as a job of the conversation runs.
    private let waiting = NIOLockedValueBox<[Identifier: Line]>([:])

    /// Runs `job` now, or after earlier jobs of its conversation. The job must call its argument once, when it has ended; then the next job
    /// starts.
    ///
    /// - Parameter user: the user whose request the job performs.
    func run(_ conversation: Identifier, by user: Identifier, _ job: @escaping Job) {
        let isFirst = waiting.withLockedValue { waiting in
            guard waiting[conversation] != nil else {
                waiting[conversation] = Line()
                return true
            }
            waiting[conversation]?.append(job, of: user)
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
