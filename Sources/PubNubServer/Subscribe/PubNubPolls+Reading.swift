import ServerRuntime

// Reads messages for polls. A replica may lack messages until the leader has sent them. Until then, a poll that needs them keeps its
// position (rules CB-52 to CB-54).
extension PubNubPolls {
    /// The messages after a cursor; nil while a replica lacks some of them.
    func messages(after cursor: UInt64, _ sources: PollSources) -> StreamPage<PubNubElement>? {
        let page = application.withState { read(&$0, after: cursor, sources) }
        if page == nil { application.catchUp() }
        return page
    }

    /// Like ``messages(after:_:)``, but called under the application's lock. When the result is nil, call ``PubNubApplication/catchUp()``
    /// after the lock is released.
    func read(
        _ state: inout PubNubApplication.State, after cursor: UInt64, _ sources: PollSources
    ) -> StreamPage<PubNubElement>? {
        let interest = sources.interest(state)
        return state.read(after: cursor, interest, at: application.storage.tokens.now)
    }

    /// Records in the page for a handshake's answer whether messages after a position are missing.
    ///
    /// - Returns: false while this is unknown, because a replica waits for the leader (rule CB-54).
    func answer(
        about position: UInt64, _ sources: PollSources, _ state: inout PubNubApplication.State,
        in page: inout StreamPage<PubNubElement>
    ) -> Bool {
        let interest = sources.interest(state)
        guard let hasDropped = state.hasDropped(after: position, interest, at: application.storage.tokens.now) else {
            return false
        }
        page.isComplete = !hasDropped
        page.hasDropped = hasDropped
        return true
    }

    /// The answer to a held handshake, which reports whether messages after a position are missing. While this is unknown, the result is
    /// nil, or with `mayBeEmpty` an answer without this report.
    func handshake(_ poll: HeldPoll, _ sources: PollSources, about position: UInt64, mayBeEmpty: Bool) -> PollAnswer? {
        var page = StreamPage<PubNubElement>(cursor: poll.cursor)
        let isKnown = application.withState { answer(about: position, sources, &$0, in: &page) }
        if !isKnown { application.catchUp() }
        return isKnown || mayBeEmpty ? PollAnswer(page, nil, region: application.storage.region, form: poll.form) : nil
    }

    /// From now on, messages of these subscriptions wake this event loop. A replica keeps the messages of these subscriptions from now on
    /// (rule CB-50).
    func announce(_ sources: PollSources, in state: inout PubNubApplication.State) {
        guard sources.lists.contains(where: { !$0.isAnnounced }) else { return }
        for list in sources.lists where !list.isAnnounced {
            list.isAnnounced = true
            state.audience.insert(loop.eventLoopID, for: list.source)
        }
        guard application.relay != nil else { return }
        let interest = sources.interest(state)
        state.cover(interest, at: application.storage.tokens.now)
    }
}
