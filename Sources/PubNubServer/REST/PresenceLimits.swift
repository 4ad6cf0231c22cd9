import Identifiers
import PubNubProtocol

/// The limits on the names and values of presence requests (rules PV-113 to PV-116).
enum PresenceLimits {
    /// The largest number of channels and patterns in a request; `groups` is the largest number of groups in a request.
    static let channels = 2000
    static let groups = 100
    /// The largest number of channels of a request, including the channels of its groups.
    static let places = 20_000
    /// The largest length in characters of a channel or group name without `-pnpres`, of a user id or of an instance id.
    static let nameLength = 92
    /// A presence change of more channels than this is divided into slices of this many channels. Between two slices the application's lock
    /// is free.
    static let slice = 200
    /// The largest size of an answer in bytes. Users and channels that would exceed this size are left out.
    static let answerBytes = 1 << 20

    /// Checks the number and the length of the names in a request.
    ///
    /// - Throws: the error answer when a limit is exceeded.
    static func check(channels: [Identifier], groups: [Identifier]) throws(PubNubErrorBody) {
        guard channels.count <= Self.channels, groups.count <= Self.groups else { throw .tooManyNames }
        for name in channels + groups where !isValid(name) { throw .invalidPresenceName }
    }

    /// Whether a user id or an instance id is at most ``nameLength`` characters long.
    static func isValid(user: String) -> Bool {
        user.utf8.count <= nameLength || user.unicodeScalars.count <= nameLength
    }

    private static func isValid(_ name: Identifier) -> Bool {
        let longest = nameLength + PubNubMessage.presenceSuffix.utf8.count
        guard name.utf8.count > nameLength else { return true }
        let length = name.text.unicodeScalars.count
        return length <= (name.isPresenceChannel ? longest : nameLength)
    }
}

extension PubNubErrorBody {
    static let tooManyNames = PubNubErrorBody.accessManager(
        400, "A request can name at most \(PresenceLimits.channels) channels and \(PresenceLimits.groups) groups.")
    static let tooManyPlaces = PubNubErrorBody.accessManager(
        400, "A request can name at most \(PresenceLimits.places) channels, including the channels of its groups.")
    static let invalidPresenceName = PubNubErrorBody.accessManager(
        400, "The name of a channel or group can have at most \(PresenceLimits.nameLength) characters.")
    static let invalidUser = PubNubErrorBody.presence(400, "Invalid uuid parameter.")
    static let stateTooLarge = PubNubErrorBody.presence(413, "State Too Large")

    /// The error answer for a refused join or a refused presence state.
    init(_ refusal: OccupancyRefusal) {
        switch refusal {
        case .tooManyChannels(let limit): self = .presence(400, "A user can be present on at most \(limit) channels.")
        case .full:
            self = .presence(429, "The channel or keyset has no room for more users or states. Try again later.")
        case .stateTooLong: self = .stateTooLarge
        }
    }
}
