import ConnectionEngine

/// One page of a channel's history.
public struct HistoryPage: Sendable {
    /// A message of the history that could not be decrypted or decoded.
    public struct Failure: Hashable, Sendable {
        /// The message id that the service has assigned; nil when the service assigns none.
        public var id: String?
        /// Why the message cannot be read; for example, it was encrypted with another cipher key.
        public var error: LifelineError

        /// Makes a failure, such as for tests of your own code.
        public init(id: String?, error: LifelineError) {
            self.id = id
            self.error = error
        }
    }

    /// The messages that could be read, oldest first.
    public var messages: [Message]
    /// The messages that could not be read, oldest first. Empty unless the client decrypts messages.
    public var failures: [Failure]
    /// Pass this to ``Channel/history(before:limit:)`` for the next older page; nil when there are no older messages.
    public var older: String?
    /// For each entry of ``failures``, how many of ``messages`` are older than the failed message; a missing entry counts as 0.
    package var places: [Int] = []

    /// Makes a page, such as for tests of your own code.
    public init(messages: [Message], failures: [Failure] = [], older: String? = nil) {
        self.messages = messages
        self.failures = failures
        self.older = older
    }
}

/// The requested part of a channel's history.
struct HistoryRequest: Hashable, Sendable {
    /// The page ends before the message with this id; nil for the latest messages.
    var before: String?
    /// 1 ... ``mostMessages``.
    var limit: Int

    /// The largest page, in messages, that every service can return.
    static let mostMessages = 100
}

/// The latest messages of a channel, joined from several history pages.
package struct RecentHistory: Sendable {
    /// The messages that could be read, oldest first. If messages directly before a message could not be read, the message has a
    /// ``Message/precedingGap``.
    package private(set) var messages: [Message] = []
    /// How many of the messages could not be read. The property ``error`` is the error of the latest of these messages.
    package private(set) var unread = 0
    package private(set) var error: LifelineError?
    /// The id before which the next older page ends; nil when there are no older messages.
    package fileprivate(set) var older: String?

    /// Joins pages, which must be sorted with the oldest page first (rule LL-20).
    init(_ pages: [HistoryPage], channel: String, at now: Moment) {
        var pending = 0
        for page in pages {
            var failures = page.failures.indices.map { page.places.count > $0 ? page.places[$0] : 0 }[...]
            for (index, message) in page.messages.enumerated() {
                while let place = failures.first, place <= index {
                    failures.removeFirst()
                    pending += 1
                }
                var message = message
                if pending > 0 {
                    message.precedingGap = Gap(channel: channel, since: now, reason: .undecryptable, dropped: pending, at: now)
                }
                pending = 0
                messages.append(message)
            }
            pending += failures.count
            unread += page.failures.count
            error = page.failures.last?.error ?? error
        }
    }
}

extension ServiceAdapter {
    /// Reads the last `count` messages page by page, beginning with the newest page, and returns them oldest first. Rule LL-20.
    func history(of channel: String, last count: Int) async throws(LifelineError) -> RecentHistory {
        var pages: [HistoryPage] = []
        var found = 0
        var before: String?
        while found < count {
            let request = HistoryRequest(before: before, limit: min(count - found, HistoryRequest.mostMessages))
            let page = try await history(of: channel, request)
            pages.append(page)
            found += page.messages.count + page.failures.count
            guard let older = page.older, older != before else {
                before = nil
                break
            }
            before = older
        }
        var recent = RecentHistory(pages.reversed(), channel: channel, at: clock())
        recent.older = before
        return recent
    }
}
