import ChatProtocol
import Identifiers
import ServerStorage

/// The data for the welcome of a session that signed in, and the sessions that it replaces.
package struct ChatAdmittance: Sendable {
    /// The replaced sessions. They are signed out already, and their connections have to be ended with 31010.
    package var kicked: [ChatSessionID]
    /// The notifications of the sign-in.
    package var news: ChatNews
}

extension ChatState {
    /// Signs a session in.
    ///
    /// - Parameters:
    ///   - session: the session; it receives events from now on.
    ///   - signIn: the user and the device.
    ///   - now: the current time, in milliseconds since 1970.
    /// - Throws: ``ChatRefusal``, with the reason: 31023 if the session yields to another device, 31024 if the application has too many
    ///   connections.
    package mutating func signIn(
        _ session: ChatSessionID, _ signIn: ChatSignIn, at now: Int64
    ) throws(ChatRefusal) -> ChatAdmittance {
        try ChatID.check(signIn.device, "a device")
        let kicked = try devices.signIn(session, signIn, limits: application.limits, at: now)
        var news = ChatNews()
        for old in kicked { rooms.lose(old, of: signIn.user, grace: application.limits.openGrace, at: now, news: &news) }
        presence.came(signIn.user, at: now, news: &news)
        hidePresenceFromBlocked(&news)
        return ChatAdmittance(kicked: kicked, news: news)
    }

    /// Removes a session. If it is signed out already, it is only removed from open channels.
    ///
    /// - Parameters:
    ///   - session: the session.
    ///   - user: the user's id.
    ///   - isDeliberate: whether the user signs out, which is reported at once. A user who has lost the connection stays online and in open
    ///     channels for the grace period.
    ///   - now: the current time, in milliseconds since 1970.
    ///   - commit: receives the changes to store.
    package mutating func signOut(
        _ session: ChatSessionID, of user: Identifier, isDeliberate: Bool, at now: Int64, into commit: inout ChatCommit
    ) -> ChatNews {
        var news = ChatNews()
        guard devices.signOut(session, of: user) else {
            // A replaced session is signed out already, but it may have entered open channels until its connection ended (rule CH-110).
            // Nothing else would remove the session from these channels.
            rooms.lose(session, of: user, grace: application.limits.openGrace, at: now, news: &news)
            return news
        }
        if isDeliberate {
            rooms.leaveAll(session, of: user, at: now, into: &commit, news: &news)
        } else {
            rooms.lose(session, of: user, grace: application.limits.openGrace, at: now, news: &news)
        }
        if !devices.isOnline(user) {
            let grace = isDeliberate ? 0 : application.limits.presenceGrace.wholeMilliseconds
            presence.left(user, grace: grace, at: now, news: &news)
        }
        hidePresenceFromBlocked(&news)
        return news
    }

    /// Counts a request against the quota of a session. Throws 20604 when the quota is used up (rules CH-19 and CH-101).
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func spend(
        _ kind: ChatSpending, session: UInt64, of user: Identifier, at now: Int64
    ) throws(ChatRefusal) {
        guard let wait = devices.take(kind, session, of: user, limits: application.limits, at: now) else { return }
        let what = kind == .send ? "messages" : "requests of this kind"
        throw ChatRefusal(
            ChatCode.tooManySends, "The client sends more \(what) per second than the application permits.", retryAfter: wait)
    }

    /// The number of the application's signed-in sessions.
    package var connectionCount: Int { devices.count }

    /// Whether a user has a signed-in session.
    package func isOnline(_ user: Identifier) -> Bool { devices.isOnline(user) }

    /// The sessions of a user, in the order of their sign-ins.
    package func sessions(of user: Identifier) -> [ChatSessionID] { devices.devices(of: user).map(\.session) }

    // MARK: Inboxes

    /// Assigns the next position in each recipient's inbox. Recipients must be distinct.
    package mutating func place(
        _ recipients: some Collection<Identifier>, skipping skipped: Identifier? = nil
    ) -> [ChatInboxPlace] {
        inboxes.place(recipients, skipping: skipped)
    }

    /// Assigns the next position in the inbox of each recipient of a message.
    package mutating func place(_ recipients: ChatRecipients) -> [ChatInboxPlace] {
        inboxes.place(recipients.users, skipping: recipients.skipped)
    }

    /// The position at which a new session begins to read its user's inbox.
    package func inboxStart(of user: Identifier, resume: ChatPlace?) -> ChatInboxStart {
        inboxes.start(of: user, resume: resume, epoch: epoch, getsEverything: application.syncsDevices)
    }

    /// Records the position up to which a user's device has stored the inbox, and adds it to the commit.
    ///
    /// - Returns: whether the position was new.
    @discardableResult
    package mutating func acknowledge(_ sequence: UInt64, by user: Identifier, into commit: inout ChatCommit) -> Bool {
        guard let place = inboxes.acknowledge(sequence, by: user) else { return false }
        commit.acknowledged.append(place)
        return true
    }

    // MARK: Repetitions

    /// The message that a user has sent with this client id in the last hour; nil for none.
    package func repetition(of clientID: Identifier, by sender: Identifier) -> ChatRepetition? {
        repetitions.find(sender, clientID)
    }

    /// Records a sent message with its client id. Messages have to be recorded in ascending order of their ids.
    ///
    /// - Parameters:
    ///   - clientID: the sender's own id of the message.
    ///   - sender: the sender's user id.
    ///   - id: the id of the message.
    ///   - sequence: the message's position in the sender's own inbox; nil if it has none.
    package mutating func noteSent(_ clientID: Identifier, by sender: Identifier, id: UInt64, sequence: UInt64?) {
        repetitions.note(sender, clientID, id: id, sequence: sequence)
    }

    /// Removes a message that could not be stored, so that sending it again is not a repetition.
    package mutating func forgetSent(_ clientID: Identifier, by sender: Identifier, id: UInt64) {
        repetitions.remove(sender, clientID, id: id)
    }
}
