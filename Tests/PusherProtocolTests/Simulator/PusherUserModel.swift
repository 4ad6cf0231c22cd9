import ConnectionEngine
import EngineTesting
import PusherProtocol

/// The part of the model that knows users: what the server does with sign-ins, and what must be seen of them. Nobody is signed in
/// without being asked, at most once per connection and wish, and whoever wants to be signed in does not wait in silence.
struct PusherUserModel {
    static let userIDs = ["ann", "bob"]
    static let channels = userIDs.map(PusherChannelName.serverToUser)
    /// The longest pause between attempts, and the time that an attempt may take, with some to spare.
    static let longestSilence: Duration = .seconds(41)

    private(set) var problem: String?
    /// For whom the application vouches now.
    private var current = Self.userIDs[0]
    /// As whom the server has this connection.
    private(set) var serverUser: String?
    private var signins = 0
    /// How many sign-ins the wishes on this connection account for.
    private var allowance = 0

    private(set) var isWanted = false
    /// As whom the client has told that it is signed in.
    private(set) var signedIn: String?
    /// How often it was told, as evidence.
    private(set) var signInCount = 0
    private var isConnected = false
    private var hasFailed = false
    /// When there was last news of the sign-in that is under way.
    private var news = Moment.zero
    private var now = Moment.zero

    mutating func timePasses(to now: Moment) throws(Violation) {
        self.now = now
        guard isConnected, isWanted, signedIn == nil, !hasFailed else {
            news = now
            return
        }
        guard now.duration(since: news) <= Self.longestSilence else { throw Violation("The sign-in is not heard of any more.") }
    }

    // Users.
    mutating func command(_ random: inout SeededRandom) -> PusherCommand {
        guard Int.random(in: 0..<3, using: &random) > 0 else {
            (isWanted, signedIn) = (false, nil)
            return .signOut
        }
        if !isWanted || hasFailed { allowance += 1 }
        isWanted = true
        hasFailed = false
        return .signIn
    }

    mutating func outcome(_ random: inout SeededRandom) -> Result<PusherAuthorization, ConnectionFailure> {
        switch Int.random(in: 0..<14, using: &random) {
        case 0: return .failure(ConnectionFailure(.accessDenied, "Denied.", httpStatus: 403))
        case 1, 2: return .failure(ConnectionFailure(.unknown, "Broken.", httpStatus: 500))
        case 3: return .success(PusherAuthorization(auth: "k:s", userData: "{}"))
        case 4: current = Self.userIDs.randomElement(using: &random) ?? current
        default: break
        }
        return .success(PusherAuthorization(auth: "k:s", userData: #"{"id":"\#(current)"}"#))
    }

    mutating func clientSends(_ text: String) {
        if text.contains(PusherEventName.signin), !isWanted { problem = "A sign-in that nobody wants." }
    }

    // The server.
    mutating func signin(_ envelope: PusherEnvelope, _ random: inout SeededRandom) -> [[UInt8]] {
        guard let data = PusherSigninData(parsing: envelope.data), let user = PusherUser(parsing: data.userData) else {
            problem = "A sign-in without a user."
            return []
        }
        signins += 1
        if signins > allowance { problem = "\(signins) sign-ins on one connection, wanted are \(allowance)." }
        if signedIn != nil { problem = "A sign-in of who is signed in." }
        if let serverUser, serverUser != user.id { return [PusherFrames.error(code: 4009, message: "Another user.")] }
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return []
        case 1 where serverUser == nil: return [PusherFrames.error(code: 4009, message: "No.")]
        default:
            serverUser = user.id
            let changes = [PusherWatchlistChange(name: "online", userIDs: ["x"])]
            return [PusherFrames.signinSuccess(userData: data.userData), PusherFrames.watchlistEvents(changes)]
        }
    }

    mutating func linkLost() {
        (serverUser, signedIn) = (nil, nil)
        (signins, allowance) = (0, isWanted ? 1 : 0)
        hasFailed = false
        isConnected = false
    }

    // What users saw.
    mutating func observe(_ event: PusherSessionEvent) throws(Violation) {
        switch event {
        case .signedIn(let user):
            guard isWanted else { throw Violation("\(user.id) is signed in, but nobody wants it.") }
            guard user.id == serverUser else { throw Violation("\(user.id) is signed in, but not at the server.") }
            guard signedIn == nil else { throw Violation("\(user.id) is signed in twice.") }
            signedIn = user.id
            signInCount += 1
        case .signInFailed(_, _, let willRetry):
            guard isWanted else { throw Violation("A sign-in failed that nobody wants.") }
            guard signedIn == nil else { throw Violation("A sign-in failed that had succeeded.") }
            hasFailed = !willRetry
            news = now
        case .watchlist:
            guard signedIn != nil else { throw Violation("A watchlist without a user.") }
        default:
            return
        }
    }

    mutating func observe(_ change: ConnectionChange) {
        isConnected = change.phase == .connected
        news = now
        if !isConnected { (signedIn, hasFailed) = (nil, false) }
    }

    /// Whether events of the channel may be told now.
    func allows(_ channel: String) -> Bool { signedIn.map(PusherChannelName.serverToUser) == channel }
}
