import WireCoding

/// The bodies of a server's answers to subscribe, publish and time requests (rules PN-18 to PN-21).
///
/// A subscribe answer consists of ``answerStart(_:)``, elements separated by commas, and ``answerEnd``.
public enum PubNubFrames {
    /// Encodes the beginning of a subscribe answer, `{"t":{"t":"15…","r":1},"m":[`. After a gap, `,"d":true` follows the region.
    public static func answerStart(_ cursor: PubNubCursor) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(48)
        JSONWriter.append("{\"t\":", to: &out)
        append(cursor, to: &out)
        JSONWriter.append(",\"m\":[", to: &out)
        return out
    }

    /// `]}`
    public static let answerEnd: [UInt8] = Array("]}".utf8)

    /// Encodes the end of an element, which depends on the subscription and follows ``PubNubEnvelope/shared``. The result is the same for
    /// all messages of a subscription, so it can be encoded once and stored.
    ///
    /// - Parameter matched: the value of `b`: a group, a wildcard pattern, or the channel itself when several are subscribed; nil to leave
    ///   `b` out.
    public static func elementEnd(matched: String?) -> [UInt8] {
        var out: [UInt8] = []
        if let matched {
            JSONWriter.append(",\"b\":", to: &out)
            JSONWriter.appendString(matched, to: &out)
        }
        out.append(UInt8(ascii: "}"))
        return out
    }

    /// Encodes a complete subscribe answer. Each element consists of a ``PubNubEnvelope/shared`` and the subscription that the message
    /// matched.
    public static func answer(_ cursor: PubNubCursor, _ elements: [(shared: [UInt8], matched: String?)] = []) -> [UInt8] {
        var out = answerStart(cursor)
        out.reserveCapacity(out.count + elements.reduce(2) { $0 + $1.shared.count + ($1.matched?.utf8.count ?? 0) + 10 })
        for (index, element) in elements.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            out.append(contentsOf: element.shared)
            out.append(contentsOf: elementEnd(matched: element.matched))
        }
        out.append(contentsOf: answerEnd)
        return out
    }

    /// Encodes the answer `[1,"Sent","15…"]` to a publish or signal that was accepted.
    public static func sent(_ timetoken: Timetoken) -> [UInt8] {
        result(1, "Sent", at: timetoken)
    }

    /// Encodes the answer `[15…]` to `/time/0`.
    public static func time(_ timetoken: Timetoken) -> [UInt8] {
        var out: [UInt8] = [UInt8(ascii: "[")]
        JSONWriter.append(timetoken.rawValue, to: &out)
        out.append(UInt8(ascii: "]"))
        return out
    }

    /// `[code,"text","15…"]`
    static func result(_ code: Int, _ text: String, at timetoken: Timetoken) -> [UInt8] {
        var out: [UInt8] = [UInt8(ascii: "[")]
        JSONWriter.append(code, to: &out)
        out.append(UInt8(ascii: ","))
        JSONWriter.appendString(text, to: &out)
        JSONWriter.append(",\"", to: &out)
        JSONWriter.append(timetoken.rawValue, to: &out)
        JSONWriter.append("\"]", to: &out)
        return out
    }

    /// `{"t":"15…","r":1}`
    static func append(_ cursor: PubNubCursor, to out: inout [UInt8]) {
        JSONWriter.append("{\"t\":\"", to: &out)
        JSONWriter.append(cursor.timetoken.rawValue, to: &out)
        JSONWriter.append("\",\"r\":", to: &out)
        JSONWriter.append(cursor.region ?? 1, to: &out)
        if cursor.followsGap {
            JSONWriter.append(",\"d\":true", to: &out)
        } else if cursor.isComplete {
            JSONWriter.append(",\"d\":false", to: &out)
        }
        out.append(UInt8(ascii: "}"))
    }
}
