import NIOCore
import PubNubProtocol
import RealtimeHub
import WireCoding

/// The polls of one application on one event loop. Lives on that loop.
///
/// Polls that ask for the same share what was read from their requests and, within a turn of the loop, the bytes of their answer
/// (rule PV-14).
final class PubNubPolls {
    let application: PubNubApplication
    private let outlet: LoopOutlet
    private var lists: [PollSource: PollList] = [:]
    private var sources = SourceTable()
    private var filters: [[UInt8]: PollFilter] = [:]
    private var woken: ContiguousArray<HeldPoll> = []
    /// Sources that remember an answer of this turn.
    private var answered: ContiguousArray<PollSources> = []

    var heldCount = 0
    private var swept = HubInstant(nanoseconds: 0)

    /// For so long at least is remembered what nobody subscribes to.
    private static let memory = Duration.seconds(10)

    init(_ application: PubNubApplication, outlet: LoopOutlet) {
        self.application = application
        self.outlet = outlet
    }

    // MARK: A request

    /// Answers a poll, or holds it.
    ///
    /// - Parameter bytes: the request's target, which is gone when this returns.
    func subscribe(_ target: SubscribeTarget, _ bytes: UnsafeRawBufferPointer, for connection: HTTPConnection) {
        let poll: HeldPoll
        if let known = connection.poll, known.polls === self {
            poll = known
        } else {
            connection.poll?.leave()
            poll = HeldPoll(connection, self)
            connection.poll = poll
        }
        do throws(PubNubErrorBody) {
            poll.use(try readSources(target, bytes))
            poll.filter = try readFilter(target, bytes)
            guard poll.setUser(target, bytes) else { throw .couldNotParse }
            start(poll, at: target.cursor, heartbeat: target.heartbeat, state: try readState(target, bytes))
        } catch {
            connection.answer(HTTPAnswer(error))
        }
    }

    private func start(_ poll: HeldPoll, at cursor: UInt64, heartbeat: Int?, state given: [String: [UInt8]]) {
        guard let sources = poll.sources, let connection = poll.connection else { return }
        let time = application.occupancyTime
        var isHeld = false
        let page = application.change { state, news in
            let before = state.streams.visible
            if let user = poll.user {
                for place in sources.places(state) {
                    let own = given.isEmpty ? nil : given[place.channel] ?? place.group.flatMap { given[$0] }
                    state.occupancy.touch(
                        place.channel, by: user, timeout: heartbeat, state: own, at: time, into: &news.events)
                }
            }
            // A handshake begins before its own joining, which the subscriber may want to see.
            if cursor == 0 { return StreamPage<PubNubElement>(cursor: before) }
            if cursor > before, !application.timeline.advance(past: cursor) {
                return StreamPage<PubNubElement>(cursor: before)
            }
            let page = read(state, after: cursor, poll)
            guard page.deliveries.isEmpty else { return page }
            isHeld = true
            for list in sources.lists where !list.isAnnounced {
                list.isAnnounced = true
                state.audience.insert(outlet.partition, for: list.source)
            }
            return page
        }
        guard isHeld else {
            let answer = PollAnswer(page, sources, region: application.timeline.region)
            outlet.state.figures.applications.count(application.slot) {
                $0.polls += 1
                $0.messagesPolled += answer.count
            }
            outlet.state.figures.requests.count(.poll, status: 200)
            return connection.send(
                connection.bytes(of: answer), isLast: connection.closesAfterAnswer, at: time.instant)
        }
        outlet.state.figures.applications.count(application.slot) { $0.polls += 1 }
        poll.cursor = page.cursor
        poll.hold()
        connection.hold(at: time.instant)
    }

    // MARK: What is asked for

    private func readSources(
        _ target: SubscribeTarget, _ bytes: UnsafeRawBufferPointer
    ) throws(PubNubErrorBody) -> PollSources {
        if let known = sources.find(target, bytes) { return known }
        guard let list = SubscriptionList(target, bytes) else { throw .couldNotParse }
        guard !list.channels.isEmpty || !list.groups.isEmpty else { throw .couldNotParse }
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

    /// Filters are compiled once for each text (wire sheet 9).
    private func readFilter(
        _ target: SubscribeTarget, _ bytes: UnsafeRawBufferPointer
    ) throws(PubNubErrorBody) -> PollFilter? {
        guard let range = target.filter else { return nil }
        let encoded = Array(bytes[range])
        if let known = filters[encoded] { return known }
        guard let text = PercentDecoding.decode(UnsafeRawBufferPointer(rebasing: bytes[range]), plusIsSpace: true) else {
            throw .couldNotParse
        }
        do throws(PubNubFilterError) {
            let filter = PollFilter(try PubNubFilter(text))
            if filters.count >= Self.rememberedFilters { filters.removeAll(keepingCapacity: true) }
            filters[encoded] = filter
            return filter
        } catch {
            throw .malformedFilter(error.description)
        }
    }

    private static let rememberedFilters = 1024

    /// Presence state by channel or group, as JSON text.
    private func readState(
        _ target: SubscribeTarget, _ bytes: UnsafeRawBufferPointer
    ) throws(PubNubErrorBody) -> [String: [UInt8]] {
        guard let range = target.state, !range.isEmpty else { return [:] }
        guard let text = PercentDecoding.decode(UnsafeRawBufferPointer(rebasing: bytes[range]), plusIsSpace: true),
            let members = (try? JSONText(text))?.members
        else { throw .couldNotParse }
        var states: [String: [UInt8]] = [:]
        for member in members where member.value.kind == .object { states[member.key] = Array(member.value.text.utf8) }
        return states
    }

    // MARK: Reading

    private func read(
        _ state: borrowing PubNubApplication.State, after cursor: UInt64, _ poll: HeldPoll
    ) -> StreamPage<PubNubElement> {
        guard let sources = poll.sources else { return StreamPage(cursor: cursor) }
        let interest = sources.interest(state)
        guard let filter = poll.filter else { return state.streams.read(after: cursor, interest, where: { _ in true }) }
        return state.streams.read(after: cursor, interest) { filter.matches($0.message) }
    }

    /// What a held poll gets now; nil when there is nothing, and it need not be answered.
    func read(_ poll: HeldPoll, mayBeEmpty: Bool) -> PollAnswer? {
        guard let sources = poll.sources else { return nil }
        let canShare = poll.filter == nil
        if canShare, let memo = sources.memo, memo.from <= poll.cursor, poll.cursor < memo.first {
            return memo.answer
        }
        let page = application.withState { state in read(state, after: poll.cursor, poll) }
        guard let first = page.deliveries.first?.entry.message.timetoken else {
            poll.cursor = page.cursor
            return mayBeEmpty ? PollAnswer(page, nil, region: application.timeline.region) : nil
        }
        if canShare, var memo = sources.memo, memo.first == first, memo.answer.cursor >= page.cursor {
            // Between the two cursors there was nothing: it is the same page.
            memo.from = min(memo.from, poll.cursor)
            sources.memo = memo
            return memo.answer
        }
        let answer = PollAnswer(page, sources, region: application.timeline.region)
        if canShare {
            if sources.memo == nil { answered.append(sources) }
            sources.memo = PollMemo(from: poll.cursor, first: first, answer: answer)
        }
        return answer
    }

    /// Sends an answer; the poll is over. Nothing happens without one.
    func answer(_ poll: HeldPoll, with answer: PollAnswer?, at now: HubInstant) {
        guard let answer, let connection = poll.connection else { return }
        poll.release()
        outlet.state.figures.applications.count(application.slot) { $0.messagesPolled += answer.count }
        outlet.state.figures.requests.count(.poll, status: 200)
        let isLast = connection.closesAfterAnswer
        connection.send(connection.bytes(of: answer), isLast: isLast, at: now)
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

    /// Answers the polls that were woken in this turn of the loop: one write and one flush for each.
    func answerWoken(at now: HubInstant) {
        guard !woken.isEmpty else { return }
        var index = 0
        // Polls that come in meanwhile behind an answer are not in the list: they have been read for already.
        while index < woken.count {
            let poll = woken[index]
            index += 1
            poll.isWoken = false
            guard poll.isHeld else { continue }
            let connection = poll.connection
            answer(poll, with: read(poll, mayBeEmpty: poll.mustAnswer), at: now)
            connection?.resume()
        }
        woken.removeAll(keepingCapacity: true)
        forgetAnswers()
    }

    /// Answers a poll with what there is, which may be nothing.
    func expire(_ poll: HeldPoll, at now: HubInstant) {
        let connection = poll.connection
        answer(poll, with: read(poll, mayBeEmpty: true), at: now)
        if woken.isEmpty { forgetAnswers() }
        connection?.resume()
    }

    private func forgetAnswers() {
        for sources in answered { sources.memo = nil }
        answered.removeAll(keepingCapacity: true)
    }

    /// Closes the connections of all held polls.
    func disconnectAll() {
        for list in lists.values {
            for (poll, _) in list.polls { poll.connection?.cut() }
        }
    }

    // MARK: Time

    /// Forgets what no connection has used for a whole interval.
    func sweep(at now: HubInstant) {
        guard now.since(swept) >= Self.memory else { return }
        swept = now
        var silent: [PollSource] = []
        for unused in sources.removeUnused() {
            for list in unused.lists {
                list.users -= 1
                guard list.users == 0 else { continue }
                lists[list.source] = nil
                if list.isAnnounced { silent.append(list.source) }
            }
        }
        guard !silent.isEmpty else { return }
        application.withState { state in
            for source in silent { state.audience.remove(outlet.partition, for: source) }
        }
    }
}
