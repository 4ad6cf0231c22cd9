/// A tap, which receives a copy of each message on a service's public channels. It shows them in the console's feed, and passes them to the
/// tap of the bridge (rule CO-40).
package struct ObservedTap: BridgeTap {
    private let tap: (any BridgeTap)?
    private let feed: LiveFeed
    /// Converts the name of a service in bridged messages to its name in the feed.
    private let name: @Sendable (_ bridgeName: String) -> ServiceName

    /// - Parameter tap: the tap to which messages are passed on; nil when messages are only shown.
    package init(_ tap: (any BridgeTap)?, feed: LiveFeed, name: @escaping @Sendable (_ bridgeName: String) -> ServiceName) {
        self.tap = tap
        self.feed = feed
        self.name = name
    }

    package func carry(
        from service: String, application: String, channel: String, _ message: (_ textEvent: String) -> BridgedMessage?
    ) {
        tap?.carry(from: service, application: application, channel: channel, message)
        guard feed.isWatched else { return }
        // `message` returns nil for a message that no other service can carry; the feed shows it without its contents.
        let shown = message("message")
        feed.tell(
            FeedEvent(
                .published, name(service), application: application, channel: channel,
                name: shown?.event,
                user: shown?.user, bytes: shown?.data.text.utf8.count, payload: shown?.data.text))
    }
}
