import WireCoding

/// A position in the events of one channel, on servers that can replay events (`docs/pusher-recovery.md`, rule RV-2).
///
/// Its text form is `EPOCH:NUMBER`. Within an epoch, numbers grow with the channel's events. Positions of different epochs cannot be
/// compared.
public struct PusherPosition: Hashable, Sendable, CustomStringConvertible {
    /// The name of a sequence of numbers: 1 to 32 letters, digits, `-` and `_`.
    public var epoch: String
    /// The number of an event; 0 is the position before the first event.
    public var number: UInt64

    /// The largest length of an epoch, in bytes.
    public static let longestEpoch = 32
    /// The largest number of digits of an event's number, so that the number fits in 64 bits.
    private static let digits = 19

    /// Makes a position from an epoch and the number of an event.
    public init(epoch: String, number: UInt64) {
        self.epoch = epoch
        self.number = number
    }

    /// Parses the text form, ``description``; nil for any other text.
    public init?(_ text: String) {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let epoch = text.utf8[..<colon]
        let digits = text.utf8[text.utf8.index(after: colon)...]
        guard (1...Self.longestEpoch).contains(epoch.count), epoch.allSatisfy(Self.isWord),
            (1...Self.digits).contains(digits.count)
        else { return nil }
        var number: UInt64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + UInt64(digit - UInt8(ascii: "0"))
        }
        self.init(epoch: String(text[..<colon]), number: number)
    }

    public var description: String { "\(epoch):\(number)" }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// A client's request for the events after a position, when it subscribes to a channel again (rule RV-4).
public struct PusherRecoverRequest: Hashable, Sendable {
    /// The position of the last event of the channel that the client has received.
    public var position: PusherPosition
    /// The socket id of the connection on which the client received the position. Events whose publisher excluded this socket id are not
    /// replayed.
    public var socketID: String?

    /// Makes a request for the events after a position.
    public init(position: PusherPosition, socketID: String? = nil) {
        self.position = position
        self.socketID = socketID
    }

    /// Parses the value of `recover` in `pusher:subscribe`; nil when it has no valid position.
    init?(parsing value: JSONText) {
        guard let position = value["position"]?.string.flatMap(PusherPosition.init) else { return nil }
        self.init(position: position, socketID: value["socket_id"]?.string)
    }

    /// Appends the JSON object for `recover` in `pusher:subscribe`.
    func append(to out: inout [UInt8]) {
        JSONWriter.append("{\"position\":", to: &out)
        JSONWriter.appendString(position.description, to: &out)
        if let socketID {
            JSONWriter.append(",\"socket_id\":", to: &out)
            JSONWriter.appendString(socketID, to: &out)
        }
        out.append(UInt8(ascii: "}"))
    }
}

/// A server's offer of recovery, in the first message of a connection (rule RV-1).
public struct PusherRecoveryOffer: Hashable, Sendable {
    /// The largest number of a channel's events that the server stores.
    public var messages: Int
    /// The longest time, in seconds, for which the server stores events.
    public var seconds: Int

    /// Makes the offer of a server that stores this number of events for this time.
    public init(messages: Int, seconds: Int) {
        self.messages = messages
        self.seconds = seconds
    }
}

/// The result of a request for missed events, in the confirmation of a subscription (rules RV-3 and RV-5).
public struct PusherRecoveryOutcome: Hashable, Sendable {
    /// The current position of the channel.
    public var position: PusherPosition
    /// Whether the server has replayed all events since the requested position; nil when none was requested.
    public var recovered: Bool?

    /// Makes the outcome of a subscription.
    public init(position: PusherPosition, recovered: Bool? = nil) {
        self.position = position
        self.recovered = recovered
    }
}
