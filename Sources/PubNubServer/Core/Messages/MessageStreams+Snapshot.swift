import Identifiers

/// The messages with which a node's replica of an application's streams starts.
package struct StreamSnapshot<Attachment: Sendable>: Sendable {
    /// The messages of all channels, oldest first.
    package var entries: [StreamEntry<Attachment>]
    /// The timetoken up to which messages are missing: readers with an earlier cursor get a gap.
    package var since: UInt64
    /// Channels whose messages are missing beyond `since`, each with the timetoken of its newest missing message.
    package var dropped: [(channel: Identifier, timetoken: UInt64)]
    /// The cursor with which new readers of the replica begin.
    package var visible: UInt64
}

extension MessageStreams {
    /// Makes a snapshot for a replica that already has all messages up to a timetoken.
    ///
    /// - Parameter maximumBytes: the approximate size limit of all messages. The oldest messages that exceed it are left out.
    package func snapshot(after timetoken: UInt64, maximumBytes: Int) -> StreamSnapshot<Attachment> {
        let all = channels.entries(after: timetoken).sorted { $0.message.timetoken < $1.message.timetoken }
        var start = all.endIndex
        var bytes = 0
        while start > all.startIndex, bytes + all[start - 1].cost <= maximumBytes {
            start -= 1
            bytes += all[start].cost
        }
        let cut = start > all.startIndex ? all[start - 1].message.timetoken : 0
        return StreamSnapshot(
            entries: Array(all[start...]), since: max(channels.forgotten, channels.forgottenPresence, cut),
            dropped: channels.overflowed.filter { $0.dropped > timetoken }.map { ($0.name, $0.dropped) }, visible: visible)
    }

    /// Records that messages of a channel up to this timetoken may be missing, so that the channel's readers get a gap report. Call it
    /// after the messages of the snapshot were added.
    package mutating func noteDropped(_ timetoken: UInt64, from channel: Identifier) {
        guard keepsAll else {
            coverage?.noteDropped(timetoken, from: .channel(channel))
            for pattern in Wildcard.patterns(matching: channel) { coverage?.noteDropped(timetoken, from: .pattern(pattern)) }
            return
        }
        channels.noteDropped(timetoken, from: channel)
        for pattern in Wildcard.patterns(matching: channel) { patterns.noteDropped(timetoken, from: pattern) }
    }

    /// Makes new readers begin after `timetoken`, even if no message has it.
    package mutating func advance(to timetoken: UInt64) {
        assign(timetoken)
        _ = abandon(timetoken)
    }
}
