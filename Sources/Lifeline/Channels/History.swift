/// One page of a channel's history.
public struct HistoryPage: Sendable {
    /// A message of the history that cannot be read.
    public struct Failure: Hashable, Sendable {
        /// The service's id of the message, or nil when it gives none.
        public var id: String?
        /// Why it cannot be read, such as another cipher key.
        public var error: LifelineError

        /// A failure, such as for tests of your own code.
        public init(id: String?, error: LifelineError) {
            self.id = id
            self.error = error
        }
    }

    /// The messages that could be read, oldest first.
    public var messages: [Message]
    /// The messages that could not be read, oldest first. Empty unless the client decrypts.
    public var failures: [Failure]
    /// Pass this to ``Channel/history(before:limit:)`` for the next older page; nil when there are no older messages.
    public var older: String?

    /// A page, such as for tests of your own code.
    public init(messages: [Message], failures: [Failure] = [], older: String? = nil) {
        self.messages = messages
        self.failures = failures
        self.older = older
    }
}

/// Which part of a channel's history is asked for.
struct HistoryRequest: Hashable, Sendable {
    /// The id of a message, which is left out; nil for the latest messages.
    var before: String?
    /// 1 ... ``mostMessages``.
    var limit: Int

    /// As many as every service gives at once.
    static let mostMessages = 100
}

extension ServiceAdapter {
    /// Rule LL-20: page by page, newest first; returned oldest first. What cannot be read fails the whole.
    func history(of channel: String, last count: Int) async throws(LifelineError) -> [Message] {
        var pages: [[Message]] = []
        var found = 0
        var before: String?
        while found < count {
            let request = HistoryRequest(before: before, limit: min(count - found, HistoryRequest.mostMessages))
            let page = try await history(of: channel, request)
            if let failure = page.failures.last { throw failure.error }
            pages.append(page.messages)
            found += page.messages.count
            guard let older = page.older, older != before else { break }
            before = older
        }
        return Array(pages.reversed().joined().suffix(count))
    }
}
