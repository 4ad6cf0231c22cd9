import ConnectionEngine
import EngineTesting
import PubNubProtocol

/// What the users of a simulated subscription asked for and saw, and what they must see.
struct PubNubModelReader {
    /// Names that users want, groups with a colon.
    private(set) var wanted: Set<String> = []
    /// Whether the next handshake begins at a timetoken of the user's.
    private var hasStart = false
    /// That timetoken, as long as nothing was read from there.
    private var unreadStart: PubNubCursor?
    /// The number of the message last seen, by confirmed channel; or the one before the first that is promised.
    private var last: [String: Int] = [:]
    /// Channels of which messages may be missing before the next one.
    private var gaps: Set<String> = []
    /// What was delivered last, and must be recognised when it comes again.
    private(set) var recent: [PubNubMessage] = []
    /// The numbers of everything that was delivered, by channel, as far as it must be recognised.
    private var delivered: [String: Set<Int>] = [:]
    /// Numbers that were missing when a gap allowed it, by channel.
    private var skipped: [String: Set<Int>] = [:]
    /// Whether the latest batch came with a position of no use, so that the next one covers the same stretch.
    private var isStuck = false
    /// The timetokens that the session remembers.
    private var latest: [Timetoken] = []
    private(set) var count = 0
    private(set) var gapCount = 0

    static func channels(_ name: String) -> [String] {
        name.hasPrefix(":") ? PubNubModelServer.groups[String(name.dropFirst())] ?? [] : [name]
    }

    static func names(_ list: PubNubList) -> Set<String> { Set(list.channels + list.groups.map { ":" + $0 }) }

    static func list(_ names: some Sequence<String>) -> PubNubList {
        let sorted = names.sorted()
        return PubNubList(
            channels: sorted.filter { !$0.hasPrefix(":") },
            groups: sorted.filter { $0.hasPrefix(":") }.map { String($0.dropFirst()) })
    }

    // MARK: Wishes

    mutating func want(_ names: Set<String>, from start: UInt64?) {
        if names.isEmpty && wanted.isEmpty { return }
        wanted.formUnion(names)
        if start != nil {
            hasStart = true
            recent = []
        }
    }

    mutating func forget(_ names: Set<String>) {
        wanted.subtract(names)
        for name in names { end(name) }
        if wanted.isEmpty { (recent, delivered) = ([], [:]) }
    }

    private mutating func end(_ name: String) {
        for channel in Self.channels(name) {
            last[channel] = nil
            gaps.remove(channel)
            recent.removeAll { $0.channel == channel }
        }
    }

    /// Nobody is listening any more.
    ///
    /// - Parameter isForgotten: whether the session knows, and starts from then on.
    mutating func stop(isForgotten: Bool = true) {
        last = [:]
        gaps = []
        guard isForgotten else { return }
        recent = []
        delivered = [:]
    }

    /// The session has forgotten everything.
    mutating func clear() {
        stop()
        wanted = []
        hasStart = false
    }

    // MARK: What is seen

    mutating func subscribed(_ list: PubNubList, at cursor: PubNubCursor, _ server: PubNubModelServer) throws(Violation) {
        let names = Self.names(list)
        guard names == wanted else { throw Violation("\(names.sorted()) were confirmed, wanted are \(wanted.sorted()).") }
        if hasStart {
            (last, delivered) = ([:], [:])
            unreadStart = cursor
        }
        hasStart = false
        for channel in names.flatMap({ Self.channels($0) }) where last[channel] == nil {
            // What the service still has from then on; how much that is nobody can know.
            if cursor == unreadStart { gaps.insert(channel) }
            last[channel] = server.count(of: channel, upTo: cursor.timetoken.rawValue, epoch: cursor.region ?? 0)
        }
    }

    mutating func unsubscribed(_ list: PubNubList) { for name in Self.names(list) { end(name) } }

    mutating func gap(_ list: PubNubList) throws(Violation) {
        gapCount += 1
        guard !list.isEmpty else { throw Violation("A gap in nothing.") }
        for name in Self.names(list) { gaps.formUnion(Self.channels(name)) }
    }

    mutating func received(_ batch: PubNubBatch, _ server: PubNubModelServer) throws(Violation) {
        guard !batch.messages.isEmpty else { throw Violation("A batch of nothing.") }
        if batch.previous != batch.current { unreadStart = nil }
        let channels = Set(wanted.flatMap { Self.channels($0) })
        for message in batch.messages {
            let channel = message.channel
            guard channels.contains(channel) else { throw Violation("A message of \(channel), which nobody wants.") }
            guard let before = last[channel] else { throw Violation("A message of \(channel), which is not confirmed.") }
            guard let number = Int(message.payload) else { throw Violation("\(message) has no number.") }
            let isNew = delivered[channel, default: []].insert(number).inserted
            // With a position of no use the same stretch comes again, more of it than is remembered.
            if !isNew, isStuck, !latest.contains(message.timetoken) {
                remember(message)
                continue
            }
            guard isNew else { throw Violation("\(channel): \(number) came again.") }
            remember(message)
            let withheld = server.filtered[channel] ?? []
            // What a filter withheld, or the queue dropped for others, may come now that the filter is another.
            if number < before, isStuck, withheld.contains(number) || skipped[channel]?.contains(number) == true { continue }
            guard number > before else {
                throw Violation("\(channel): message \(number) was delivered after message \(before).")
            }
            let seen = delivered[channel] ?? []
            let missing = (before + 1..<number).filter { !withheld.contains($0) && !seen.contains($0) }
            guard missing.isEmpty || gaps.contains(channel) else {
                throw Violation("\(channel): \(missing) were lost in silence before \(number).")
            }
            gaps.remove(channel)
            skipped[channel, default: []].formUnion(missing)
            last[channel] = number
            count += 1
        }
        isStuck = batch.previous == batch.current
        recent = (recent + batch.messages).suffix(10)
    }

    private mutating func remember(_ message: PubNubMessage) {
        latest.append(message.timetoken)
        if latest.count > 100 { latest.removeFirst() }
    }
}
