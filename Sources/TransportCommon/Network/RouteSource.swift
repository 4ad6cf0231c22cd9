#if os(Linux)
    import Dispatch
    import NIOConcurrencyHelpers

    /// Reports changes of the network on Linux. One rtnetlink socket receives notifications of changes; another one requests the state
    /// after a change.
    ///
    /// Both sockets belong to the network namespace of the thread that starts the source.
    struct RouteSource: NetworkSource {
        func start(
            _ changed: @escaping @Sendable (NetworkSnapshot) -> Void
        ) -> (now: NetworkSnapshot, stop: @Sendable () -> Void)? {
            // The groups of links, and of addresses and routes of IPv4 and IPv6: RTMGRP_LINK and related constants.
            guard let news = RouteSocket(groups: 0x1 | 0x10 | 0x40 | 0x100 | 0x400) else { return nil }
            guard let questions = RouteSocket(groups: 0), let now = questions.snapshot() else { return nil }
            let watch = RouteWatch(news: news, questions: questions, changed: changed)
            watch.start()
            return (now, { watch.stop() })
        }
    }

    /// Waits for changes with a dispatch source, which needs no thread while nothing happens.
    private final class RouteWatch: @unchecked Sendable {
        /// How long to wait after a change before the state of the network is read. Changes arrive in bursts, and one reading covers a
        /// whole burst.
        private static let pause = DispatchTimeInterval.milliseconds(50)

        private let news: RouteSocket
        private let questions: RouteSocket
        private let changed: @Sendable (NetworkSnapshot) -> Void
        private let queue = DispatchQueue(label: "lifeline.network")
        // The reason for `@unchecked`: the source needs no lock, because it is never replaced, and any thread may cancel a dispatch source.
        private let source: any DispatchSourceRead
        private let isLookDue = NIOLockedValueBox(false)

        init(news: RouteSocket, questions: RouteSocket, changed: @escaping @Sendable (NetworkSnapshot) -> Void) {
            self.news = news
            self.questions = questions
            self.changed = changed
            source = DispatchSource.makeReadSource(fileDescriptor: news.descriptor, queue: queue)
        }

        func start() {
            source.setEventHandler { [weak self] in self?.hear() }
            // The handler captures the socket, so that it stays open until the source no longer uses its descriptor.
            source.setCancelHandler { [news] in withExtendedLifetime(news) {} }
            source.activate()
        }

        func stop() {
            source.cancel()
        }

        private func hear() {
            guard news.drain() else { return }
            let wasDue = isLookDue.withLockedValue { isDue in
                defer { isDue = true }
                return isDue
            }
            if !wasDue { queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in self?.look() } }
        }

        private func look() {
            isLookDue.withLockedValue { $0 = false }
            guard !source.isCancelled, let snapshot = questions.snapshot() else { return }
            changed(snapshot)
        }
    }
#endif
