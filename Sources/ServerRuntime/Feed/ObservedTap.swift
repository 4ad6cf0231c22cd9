/// A tap that shows what passes to whoever looks on, and hands it to another one (rule CO-40).
package struct ObservedTap: BridgeTap {
    private let tap: (any BridgeTap)?
    private let feed: LiveFeed
    /// What the feed calls services that bridges know under another name.
    private let names: [String: ServiceName]

    package init(_ tap: (any BridgeTap)?, feed: LiveFeed, names: [String: ServiceName] = [:]) {
        self.tap = tap
        self.feed = feed
        self.names = names
    }

    package func carry(
        from service: String, application: String, channel: String, _ message: (_ textEvent: String) -> BridgedMessage?
    ) {
        tap?.carry(from: service, application: application, channel: channel, message)
        guard feed.isWatched else { return }
        // What no other service could carry is shown without what it says.
        let shown = message("message")
        feed.tell(
            FeedEvent(
                .published, names[service] ?? ServiceName(rawValue: service), application: application, channel: channel,
                name: shown?.event,
                user: shown?.user, bytes: shown?.data.text.utf8.count, payload: shown?.data.text))
    }
}
