import NIOCore
import PusherProtocol
import RealtimeHub
import ServerRuntime

/// Users of an application and who watches them. What watchers are told is queued under the lock of the application's book, so that
/// each sees a user come and go in turns (rule HB-50).
extension PusherService {
    /// Signs a connection in and queues its answers, and those of its watchlist who are online. The answers go the same way as news, so
    /// that news from before a sign-in never come behind it.
    func signIn(
        _ socketID: SocketID, on mailbox: EventLoopMailbox<PusherLoop>, as signIn: PusherSignIn,
        of application: SharedApplication,
        answers: [[UInt8]]
    ) {
        let now = now
        application.users.withLockedValue { users in
            let outcome = users.signIn(
                UserConnection(socketID, on: mailbox), as: signIn.user.id, watching: signIn.watchlist, at: now)
            tell(outcome.news)
            for answer in answers { mailbox.enqueue(.tell([socketID], PusherWire.frame(answer))) }
            guard !outcome.online.isEmpty else { return }
            mailbox.enqueue(.tell([socketID], PusherWire.frame(PusherWire.watchlist(online: outcome.online))))
        }
    }

    func signOut(_ socketID: SocketID, on mailbox: EventLoopMailbox<PusherLoop>, of application: SharedApplication) {
        let now = now
        application.users.withLockedValue { $0.signOut(UserConnection(socketID, on: mailbox), at: now) }
    }

    /// Tells watchers who came and went since the last time, in one message each.
    func sweepUsers() {
        let now = now
        for application in sharedApplications {
            application.users.withLockedValue { tell($0.takeNews(at: now)) }
        }
    }

    private func tell(_ news: [UserNews]) {
        for news in news {
            let frame = PusherWire.watchlist(news)
            for (partition, watchers) in Dictionary(grouping: news.watchers, by: \.partition)
            where mailboxes.indices.contains(partition) {
                mailboxes[partition].enqueue(.tell(watchers.map { SocketID(high: $0.high, low: $0.low) }, frame))
            }
        }
    }
}

extension UserConnection {
    fileprivate init(_ socketID: SocketID, on mailbox: EventLoopMailbox<PusherLoop>) {
        self.init(partition: mailbox.queue.number, high: socketID.high, low: socketID.low)
    }
}
