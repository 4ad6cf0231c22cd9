import Identifiers
import NIOCore
import PubNubProtocol
import ServerRuntime
import ServerValues
import WireCoding

/// The polls of one application on one event loop. Used on that event loop only.
///
/// Polls with equal requests share the parsed request and, within a turn of the event loop, the bytes of their answer (rule PV-14).
final class PubNubPolls {
    let application: PubNubApplication
    let loop: EventLoopContext
    /// The kind of request under which the server's metrics count polls.
    private let pollKind: RequestKind
    /// How long the server holds polls of keysets without a setting of their own.
    private let usualHold: Duration
    private var lists: [PollSource: PollList] = [:]
    private(set) var sources = SourceTable()
    private(set) var filters = FilterTable()
    /// Polls whose filters have to be evaluated.
    var filtering = FilterQueue()
    private var woken: ContiguousArray<HeldPoll> = []
    /// The subscriptions for which an answer was cached in this turn of the event loop.
    private var answered: ContiguousArray<PollSources> = []

    var counts = PubNubCounts()
    private var swept = MonotonicInstant(nanoseconds: 0)

    /// How long parsed subscriptions and lists of polls stay cached at least after they were last used.
    private static let memory = Duration.seconds(10)
    /// If the subscriptions that were added exceed this size in bytes, unused subscriptions are freed at once instead of after `memory`.
    private static let unusedBytes = 16 << 20

    init(_ application: PubNubApplication, loop: EventLoopContext, pollKind: RequestKind, usualHold: Duration) {
        self.application = application
        self.pollKind = pollKind
        self.usualHold = usualHold
        self.loop = loop
    }

    /// How long polls of this keyset are held before they get an empty answer.
    var hold: Duration { application.pollHold ?? usualHold }

    // MARK: A request

    /// Answers a poll, or holds it.
    ///
    /// - Parameters:
    ///   - bytes: the request's target, valid only during this call.
    ///   - access: the rights that the poll needs while it is held; nil when none are needed.
    ///   - isJudged: whether the access rights of the request were checked.
    ///   - owner: the owner whose share of the limits the user's presence uses; nil for the connection's address.
    func subscribe(
        _ target: SubscribeTarget, _ bytes: UnsafeRawBufferPointer, for connection: HTTPConnection, access: HeldAccess? = nil,
        isJudged: Bool = false, owner: Identifier? = nil
    ) {
        let poll: HeldPoll
        if let known = connection.exchange as? HeldPoll, known.polls === self {
            poll = known
        } else {
            poll = HeldPoll(connection, self)
            connection.use(poll)
        }
        do throws(PubNubErrorBody) {
            poll.use(try readSources(target, bytes))
            poll.filter = try readFilter(target, bytes)
            poll.form = target.form
            poll.access = access
            poll.isJudged = isJudged
            try poll.setUser(target, bytes, owner: owner)
            start(
                poll,
                PollStart(
                    cursor: target.cursor, resumesAfter: target.resumesAfter, heartbeat: target.heartbeat,
                    state: try readState(target, bytes)))
        } catch {
            connection.answer(HTTPAnswer(error, of: application))
        }
    }

    /// Makes the user present on its channels, then reads messages. If there are more channels than in one slice, the user joins them in
    /// several turns of the event loop before messages are read (rule PV-116).
    private func start(_ poll: HeldPoll, _ request: PollStart) {
        guard let sources = poll.sources, let connection = poll.connection else { return }
        let time = application.occupancyTime
        let cursor = request.cursor
        var isHeld = false
        var isMissing = false
        var mustFilter = false
        poll.resumesAfter = nil
        var places: [PresencePlace] = []
        if let relay = application.relay, let user = poll.user,
            let refusal = join(sources, user: user, request: request, through: relay)
        {
            return connection.answer(HTTPAnswer(refusal, of: application))
        }
        let page = application.change { state, pending in
            let before = request.before ?? state.streams.visible
            // A replica also keeps messages for a poll that is answered at once, because the client's next poll follows soon and needs
            // them.
            if application.relay != nil { announce(sources, in: &state) }
            if request.before == nil, let user = poll.user, application.relay == nil {
                places = sources.places(state)
                guard places.count <= PresenceLimits.slice else { return StreamPage<PubNubElement>(cursor: before) }
                for place in places { request.join(place, user, at: time, &state, &pending) }
            }
            // The cursor of a handshake is from before the subscriber's own join, so that the subscriber can receive the join event.
            if cursor == 0 {
                var page = StreamPage<PubNubElement>(cursor: before)
                guard let position = request.resumesAfter, position > 0, position <= before,
                    !answer(about: position, sources, &state, in: &page)
                else { return page }
                (isHeld, isMissing) = (true, true)
                (poll.resumesAfter, poll.filter) = (position, nil)
                return page
            }
            if cursor > before {
                guard application.honours(cursor, &state) else {
                    var page = StreamPage<PubNubElement>(cursor: before)
                    page.hasDropped = true
                    return page
                }
                application.relay?.advance(past: cursor, of: application)
            }
            // A poll with a filter is put into a queue, because filters are evaluated without holding a lock. Here messages may have
            // arrived while the channels were joined in slices. They have not woken this poll, so it is queued now.
            mustFilter = poll.filter != nil && cursor < state.streams.visible
            var page = StreamPage<PubNubElement>(cursor: mustFilter ? cursor : max(cursor, before))
            if poll.filter == nil {
                let read = read(&state, after: cursor, sources)
                isMissing = read == nil
                page = read ?? StreamPage(cursor: cursor)
            }
            guard page.deliveries.isEmpty else { return page }
            isHeld = true
            announce(sources, in: &state)
            return page
        }
        guard places.count <= PresenceLimits.slice else {
            guard places.count <= PresenceLimits.places else { return connection.answer(HTTPAnswer(.tooManyPlaces)) }
            let joining = PollJoining(places: places, request: request.begun(at: page.cursor), number: connection.beginWork())
            return join(poll, joining, from: 0)
        }
        guard isHeld else {
            let answer = PollAnswer(page, sources, region: application.storage.region, form: poll.form)
            counts.polls += 1
            counts.messages += answer.count
            countAnswer()
            return send(answer, to: connection, at: time.instant)
        }
        counts.polls += 1
        poll.cursor = page.cursor
        poll.followsGap = page.hasDropped
        poll.hold()
        connection.holdExchange(at: time.instant)
        if isMissing { application.catchUp() }
        // While the channels were joined in slices, the keyset may have changed, so the rights are checked again.
        if request.before != nil, endIfChanged(poll) || endIfRefused(poll) { return }
        if mustFilter { filterLater(poll) }
    }

    /// Reports a subscriber's presence to the leader, unless an equal report was sent very recently.
    ///
    /// - Returns: the error answer when the poll is refused; otherwise nil.
    private func join(
        _ sources: PollSources, user: OccupancyUser, request: PollStart, through relay: any PresenceRelay
    ) -> PubNubErrorBody? {
        // Only subscriptions to groups need the hash, because the channels of all other subscriptions are the same in every poll.
        let hash = sources.groups.isEmpty ? 0 : application.withState { sources.placesHash($0) }
        let touched = TouchedRequest(
            sources: sources.text, places: hash, timeout: request.heartbeat, state: request.state)
        guard !relay.knows(user, touched, of: application) else { return nil }
        let places = application.withState { sources.places($0) }
        guard places.count <= PresenceLimits.places else { return .tooManyPlaces }
        for start in stride(from: 0, to: places.count, by: PresenceLimits.slice) {
            let slice = places.clamped(from: start, to: start + PresenceLimits.slice)
            relay.touch(
                PubNubClusterRequest.PresenceTouch(
                    user: user, timeout: request.heartbeat,
                    places: slice.map {
                        PubNubClusterRequest.PresenceTouch.Place(channel: $0.channel, state: request.state(at: $0))
                    }),
                touched, of: application)
        }
        return nil
    }

    /// Joins one slice of the channels, and continues with the next slice in another turn of the event loop. After the last slice, messages
    /// are read.
    private func join(_ poll: HeldPoll, _ joining: PollJoining, from index: Int) {
        // The client may have disconnected, or the request may have been answered because joining took too long.
        guard let connection = poll.connection, connection.isAnswering(joining.number), let user = poll.user else { return }
        guard index < joining.places.count else {
            start(poll, joining.request)
            return connection.resume()
        }
        let end = min(index + PresenceLimits.slice, joining.places.count)
        let time = application.occupancyTime
        application.change { state, pending in
            for place in joining.places.clamped(from: index, to: end) {
                joining.request.join(place, user, at: time, &state, &pending)
            }
        }
        loop.eventLoop.assumeIsolated().execute { self.join(poll, joining, from: end) }
    }

    // MARK: Requests

    private func readSources(
        _ target: SubscribeTarget, _ bytes: UnsafeRawBufferPointer
    ) throws(PubNubErrorBody) -> PollSources {
        if let known = sources.find(target, bytes) { return known }
        guard let list = SubscriptionList(target, bytes) else { throw .couldNotParse }
        guard !list.channels.isEmpty || !list.groups.isEmpty else { throw .couldNotParse }
        try PresenceLimits.check(channels: list.channels, groups: list.groups)
        if sources.grown > Self.unusedBytes { forget(sources.removeUnused(atOnce: true)) }
        let fresh = PollSources(list, text: SourceTable.text(target, bytes), among: self)
        for list in fresh.lists { list.users += 1 }
        sources.insert(fresh)
        return fresh
    }

    func list(of source: PollSource) -> PollList {
        if let known = lists[source] { return known }
        let fresh = PollList(source)
        lists[source] = fresh
        return fresh
    }

    /// The filter of a poll; nil when its request has none. Each filter text is compiled once.
    private func readFilter(
        _ target: SubscribeTarget, _ bytes: UnsafeRawBufferPointer
    ) throws(PubNubErrorBody) -> PollFilter? {
        guard let range = target.filter else { return nil }
        let encoded = Array(bytes[range])
        if let known = filters.find(encoded) { return known }
        guard let text = PercentDecoding.decode(UnsafeRawBufferPointer(rebasing: bytes[range]), plusIsSpace: true) else {
            throw .couldNotParse
        }
        do throws(PubNubFilterError) {
            let filter = PollFilter(try PubNubFilter(text))
            filters.insert(filter, for: encoded)
            return filter
        } catch {
            throw .malformedFilter(error.description)
        }
    }

    /// The presence states that a poll sets, as JSON text by channel or group.
    private func readState(
        _ target: SubscribeTarget, _ bytes: UnsafeRawBufferPointer
    ) throws(PubNubErrorBody) -> [Identifier: [UInt8]] {
        guard let range = target.state, !range.isEmpty else { return [:] }
        guard let text = PercentDecoding.decode(UnsafeRawBufferPointer(rebasing: bytes[range]), plusIsSpace: true),
            let members = (try? JSONText(text))?.members
        else { throw .couldNotParse }
        var states: [Identifier: [UInt8]] = [:]
        guard members.allSatisfy({ $0.value.text.utf8.count <= application.occupancyLimits.stateBytes }) else {
            throw .stateTooLarge
        }
        for member in members where member.value.kind == .object {
            states[Identifier(member.key)] = Array(member.value.text.utf8)
        }
        return states
    }

    // MARK: Reading

    /// The answer to a held poll. Without messages the result is nil, or with `mayBeEmpty` an empty answer.
    func read(_ poll: HeldPoll, mayBeEmpty: Bool) -> PollAnswer? {
        guard let sources = poll.sources else { return nil }
        if let position = poll.resumesAfter {
            return handshake(poll, sources, about: position, mayBeEmpty: mayBeEmpty)
        }
        // An answer that reports a gap is not shared with other polls.
        var canShare = !poll.followsGap && poll.form == .second
        if canShare, let memo = sources.memo, memo.from <= poll.cursor, poll.cursor < memo.first {
            return memo.answer
        }
        guard var page = messages(after: poll.cursor, sources) else {
            // An empty answer contains the poll's own cursor, so that the client's next poll continues from the same position.
            var nothing = StreamPage<PubNubElement>(cursor: poll.cursor)
            nothing.hasDropped = poll.followsGap
            return mayBeEmpty ? PollAnswer(nothing, nil, region: application.storage.region, form: poll.form) : nil
        }
        page.hasDropped = page.hasDropped || poll.followsGap
        guard let first = page.deliveries.first?.entry.message.timetoken else {
            poll.cursor = page.cursor
            poll.followsGap = page.hasDropped
            return mayBeEmpty ? PollAnswer(page, nil, region: application.storage.region, form: poll.form) : nil
        }
        canShare = canShare && !page.hasDropped
        if canShare, var memo = sources.memo, memo.first == first, memo.answer.cursor >= page.cursor {
            // The cached answer is also valid for this poll's cursor, because no message lies between this cursor and `memo.from`.
            memo.from = min(memo.from, poll.cursor)
            sources.memo = memo
            return memo.answer
        }
        let answer = PollAnswer(page, sources, region: application.storage.region, form: poll.form)
        if canShare {
            if sources.memo == nil { answered.append(sources) }
            sources.memo = PollMemo(from: poll.cursor, first: first, answer: answer)
        }
        return answer
    }

    /// Sends an answer, which ends the poll. Does nothing when `answer` is nil.
    func answer(_ poll: HeldPoll, with answer: PollAnswer?, at now: MonotonicInstant) {
        guard let answer, let connection = poll.connection else { return }
        poll.release()
        counts.messages += answer.count
        countAnswer()
        send(answer, to: connection, at: now)
    }

    private func send(_ answer: PollAnswer, to connection: HTTPConnection, at now: MonotonicInstant) {
        let isLast = connection.closesAfterAnswer
        connection.send(answer.bytes(isLast: isLast, connection.core.crossOrigin, connection.page), isLast: isLast, at: now)
    }

    private func countAnswer() {
        loop.state.figures.requests.count(pollKind, status: 200)
    }

    // MARK: Waking

    func wake(_ wake: PollWake) {
        for source in wake.sources {
            guard let list = lists[source] else { continue }
            for (poll, _) in list.polls where !poll.isWoken {
                poll.isWoken = true
                woken.append(poll)
            }
        }
        for source in wake.changed {
            guard let list = lists[source] else { continue }
            for (poll, _) in list.polls {
                poll.mustAnswer = true
                guard !poll.isWoken else { continue }
                poll.isWoken = true
                woken.append(poll)
            }
        }
    }

    /// Answers the polls that were woken in this turn of the event loop. Each answer is written and flushed once.
    func answerWoken(at now: MonotonicInstant) {
        guard !woken.isEmpty else { return }
        var index = 0
        // A poll that arrives during this loop is not in the list, because messages were already read for it when it arrived.
        while index < woken.count {
            let poll = woken[index]
            index += 1
            poll.isWoken = false
            guard poll.isHeld else { continue }
            guard poll.filter == nil else {
                filterLater(poll)
                continue
            }
            if endIfRefused(poll) { continue }
            answerNow(poll, at: now)
        }
        woken.removeAll(keepingCapacity: true)
        forgetAnswers()
    }

    /// Answers a poll without a filter, if there are messages or an answer is required.
    func answerNow(_ poll: HeldPoll, at now: MonotonicInstant) {
        let connection = poll.connection
        answer(poll, with: read(poll, mayBeEmpty: poll.mustAnswer), at: now)
        connection?.resume()
        if woken.isEmpty { forgetAnswers() }
    }

    /// Answers a poll with the available messages; the answer may be empty.
    func expire(_ poll: HeldPoll, at now: MonotonicInstant) {
        guard poll.filter == nil else {
            poll.mustAnswer = true
            return filterLater(poll)
        }
        let connection = poll.connection
        answer(poll, with: read(poll, mayBeEmpty: true), at: now)
        if woken.isEmpty { forgetAnswers() }
        connection?.resume()
    }

    /// Checks all held polls again, because the keyset's configuration has changed (rule PV-151).
    func review() {
        // The loop uses a copy, because a poll that ends is removed from the lists.
        for list in Array(lists.values) {
            for (poll, _) in Array(list.polls) { _ = endIfChanged(poll) || endIfRefused(poll) }
        }
    }

    /// Called for a held poll after the keyset has changed. Ends the poll if the server would now refuse an equal request or would check
    /// its rights.
    ///
    /// - Returns: whether the poll was ended.
    private func endIfChanged(_ poll: HeldPoll) -> Bool {
        guard poll.isHeld, !application.isOpenToAll, let connection = poll.connection else { return false }
        if let refusal = application.pollRefusal {
            poll.release()
            connection.answer(HTTPAnswer(refusal, of: application))
        } else {
            guard !poll.isJudged else { return false }
            // The rights of this request were never checked. An empty answer makes the client send its next request at once, and the rights
            // of that request are checked.
            var nothing = StreamPage<PubNubElement>(cursor: poll.cursor)
            nothing.hasDropped = poll.followsGap
            let answer = PollAnswer(nothing, nil, region: application.storage.region, form: poll.form)
            self.answer(poll, with: answer, at: loop.now)
        }
        connection.resume()
        return true
    }

    /// Ends a held poll whose rights have ended (rule PV-138).
    ///
    /// - Returns: whether the poll was ended.
    func endIfRefused(_ poll: HeldPoll) -> Bool {
        guard poll.isHeld, poll.access != nil else { return false }
        let version = application.grants.version(at: application.clock.unixSeconds())
        guard poll.access?.mayHaveEnded(at: application.clock.unixSeconds(), version: version) == true,
            let access = poll.access,
            let refusal = PubNubAccess(application: application).refusal(of: access.needs, auth: access.auth)
        else { return false }
        let connection = poll.connection
        poll.release()
        connection?.answer(HTTPAnswer(refusal, of: application))
        connection?.resume()
        return true
    }

    private func forgetAnswers() {
        for sources in answered { sources.memo = nil }
        answered.removeAll(keepingCapacity: true)
    }

    /// All held polls; a poll of several channels occurs several times.
    var heldPolls: some Sequence<HeldPoll> { lists.values.lazy.flatMap { $0.polls.lazy.map(\.0) } }

    /// Closes the connections of all held polls.
    func disconnectAll() {
        for list in lists.values {
            for (poll, _) in list.polls { poll.connection?.cut() }
        }
    }

    // MARK: Time

    /// Frees subscriptions that no connection has used for at least `memory`. Call it periodically.
    func sweep(at now: MonotonicInstant) {
        guard now.since(swept) >= Self.memory else { return }
        swept = now
        forget(sources.removeUnused())
    }

    private func forget(_ unused: [PollSources]) {
        var silent: [PollSource] = []
        for unused in unused {
            for list in unused.lists {
                list.users -= 1
                guard list.users == 0 else { continue }
                lists[list.source] = nil
                if list.isAnnounced { silent.append(list.source) }
            }
        }
        guard !silent.isEmpty else { return }
        application.withState { state in
            for source in silent { state.audience.remove(loop.eventLoopID, for: source) }
        }
    }
}
