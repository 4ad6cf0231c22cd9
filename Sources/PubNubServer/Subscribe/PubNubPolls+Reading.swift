import ServerRuntime

// What polls read. In a replica messages may be missing until the leader has sent them (rules CB-52 to CB-54): a poll stays where it is
// until then.
extension PubNubPolls {
    /// The messages after a cursor; nil while some of them are missing.
    func messages(after cursor: UInt64, _ sources: PollSources) -> StreamPage<PubNubElement>? {
        let page = application.withState { read(&$0, after: cursor, sources) }
        if page == nil { application.catchUp() }
        return page
    }

    /// As ``messages(after:_:)``, under the application's lock. If it returns nil, call ``PubNubApplication/catchUp()`` without the lock.
    func read(
        _ state: inout PubNubApplication.State, after cursor: UInt64, _ sources: PollSources
    ) -> StreamPage<PubNubElement>? {
        let interest = sources.interest(state)
        return state.read(after: cursor, interest, at: application.storage.tokens.now)
    }

    /// Answers a handshake that asks about a position, into its page.
    ///
    /// - Returns: false while the answer is not known (rule CB-54).
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

    /// The answer to a held handshake that asks about a position; nil while it is not known, unless an answer is required.
    func handshake(_ poll: HeldPoll, _ sources: PollSources, about position: UInt64, mayBeEmpty: Bool) -> PollAnswer? {
        var page = StreamPage<PubNubElement>(cursor: poll.cursor)
        let isKnown = application.withState { answer(about: position, sources, &$0, in: &page) }
        if !isKnown { application.catchUp() }
        return isKnown || mayBeEmpty ? PollAnswer(page, nil, region: application.storage.region, form: poll.form) : nil
    }

    /// Makes this event loop known as one that has polls with these sources. A replica keeps their messages from now on (rule CB-50).
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
