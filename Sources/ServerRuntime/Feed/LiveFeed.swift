import NIOConcurrencyHelpers

/// Distributes the events of a server to the viewers of the console's live feed. While there is no viewer, an event costs one check (rule
/// CO-40). May be used from any thread.
package final class LiveFeed: Sendable {
    private let watchers = NIOLockedValueBox<[FeedWatcher]>([])

    /// The largest number of viewers at the same time.
    package static let capacity = 8
    /// The largest number of feeds of one group of viewers (4), and of one viewer (3).
    package static let capacityOfGroup = 4
    package static let capacityOfViewer = 3

    package init() {}

    /// Whether the feed has any viewer. This is checked for each message, because events are made only for viewers.
    package var isWatched: Bool { watchers.withLockedValue { !$0.isEmpty } }

    /// Starts a feed for a viewer; nil when the limit of all viewers, of the viewer's group or of the viewer is reached.
    package func watch(_ filter: FeedFilter, for viewer: FeedViewer) -> FeedWatcher? {
        watchers.withLockedValue { watchers in
            guard watchers.count < Self.capacity,
                watchers.lazy.filter({ $0.viewer.group == viewer.group }).count < Self.capacityOfGroup,
                watchers.lazy.filter({ $0.viewer == viewer }).count < Self.capacityOfViewer
            else { return nil }
            let watcher = FeedWatcher(filter, for: viewer)
            watchers.append(watcher)
            return watcher
        }
    }

    package func end(_ watcher: FeedWatcher) {
        watchers.withLockedValue { $0.removeAll { $0 === watcher } }
    }

    /// Shows an event, which is made only if there is a viewer. The call is cheap enough to be made under a lock.
    package func tell(_ event: @autoclosure () -> FeedEvent) {
        let watchers = watchers.withLockedValue { $0 }
        guard !watchers.isEmpty else { return }
        let event = event()
        for watcher in watchers { watcher.take(event) }
    }
}

/// Identifies a viewer of the feed, so that the feeds of each viewer and each group can be counted and limited.
package struct FeedViewer: Hashable, Sendable {
    /// The viewer's group, which is the viewer's role in the console.
    package var group: String
    /// The viewer within the group: the id of a console session.
    package var name: String

    package init(group: String, name: String) {
        (self.group, self.name) = (group, name)
    }
}

/// One viewer's queue of feed events that were not shown yet. May be used from any thread.
package final class FeedWatcher: Sendable {
    private struct State: Sendable {
        var events: [FeedEvent] = []
        var dropped = 0
    }

    let viewer: FeedViewer
    private let filter: FeedFilter
    private let state = NIOLockedValueBox(State())

    /// The largest number of queued events. Further events are dropped and counted, because no person can read more.
    package static let capacity = 100

    package init(_ filter: FeedFilter, for viewer: FeedViewer) {
        (self.filter, self.viewer) = (filter, viewer)
    }

    func take(_ event: FeedEvent) {
        guard filter.takes(event) else { return }
        state.withLockedValue { state in
            guard state.events.count < Self.capacity else {
                state.dropped += 1
                return
            }
            var event = event
            event.payload = filter.showsPayloads ? event.payload.map(FeedEvent.shown) : nil
            state.events.append(event)
        }
    }

    /// The events since the last call, and the number of dropped ones.
    package func drain() -> (events: [FeedEvent], dropped: Int) {
        state.withLockedValue { state in
            defer { state = State() }
            return (state.events, state.dropped)
        }
    }
}
