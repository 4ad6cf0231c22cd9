/// Maps the bytes of requests to parsed subscriptions, so that repeated requests need not be parsed again.
struct SourceTable {
    private var places: [Int: PollSources] = [:]
    /// The approximate memory, in bytes, of the entries that were added since the last call of ``removeUnused(atOnce:)``, and of the unused
    /// entries that this call has left in the table.
    private(set) var grown = 0
    /// The number of cached lists of subscriptions.
    var count: Int { places.count + displaced.count }

    /// The part of a request that names its channels and groups, as bytes.
    static func text(_ target: SubscribeTarget, _ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var text = Array(bytes[target.channels])
        // A zero byte separates the channels from the groups. Neither text contains a zero byte, because both are percent-encoded.
        text.append(0)
        if let groups = target.groups { text.append(contentsOf: bytes[groups]) }
        return text
    }

    func find(_ target: SubscribeTarget, _ bytes: UnsafeRawBufferPointer) -> PollSources? {
        let channels = UnsafeRawBufferPointer(rebasing: bytes[target.channels])
        let groups =
            target.groups.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) } ?? UnsafeRawBufferPointer(start: nil, count: 0)
        guard let found = places[Self.hash(channels, groups)], found.text.count == channels.count + 1 + groups.count else {
            return nil
        }
        let isSame = found.text.withUnsafeBytes { text in
            text.prefix(channels.count).elementsEqual(channels) && text[channels.count] == 0
                && text.suffix(groups.count).elementsEqual(groups)
        }
        return isSame ? found : nil
    }

    /// Adds an entry, which replaces an entry with the same hash. Polls that already use the replaced entry continue to use it.
    mutating func insert(_ sources: PollSources) {
        let parts = sources.text.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return }
        let hash = parts[0].withUnsafeBytes { channels in parts[1].withUnsafeBytes { Self.hash(channels, $0) } }
        grown += sources.cost
        if let other = places.updateValue(sources, forKey: hash) { displaced.append(other) }
    }

    /// Entries that other entries have replaced in the table. Polls may still use them.
    private var displaced: [PollSources] = []

    /// Removes the entries that no poll uses now and no poll used at the previous call. With `atOnce`, removes all entries that no poll
    /// uses now.
    mutating func removeUnused(atOnce: Bool = false) -> [PollSources] {
        var left = 0
        var unused: [PollSources] = []
        func isUnused(_ sources: PollSources) -> Bool {
            guard sources.users == 0 else {
                sources.isIdle = false
                return false
            }
            defer { sources.isIdle = true }
            guard sources.isIdle || atOnce else {
                left += sources.cost
                return false
            }
            unused.append(sources)
            return true
        }
        displaced.removeAll(where: isUnused)
        places = places.filter { !isUnused($0.value) }
        grown = left
        return unused
    }

    private static func hash(_ channels: UnsafeRawBufferPointer, _ groups: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: channels)
        hasher.combine(channels.count)
        hasher.combine(bytes: groups)
        return hasher.finalize()
    }
}
