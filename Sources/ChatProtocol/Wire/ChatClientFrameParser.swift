import WireCoding

/// Parses the frames that clients send, one after the other.
///
/// The parser reads the bytes in one pass, without building a tree. Equal ids share one string. Use a separate parser for each connection
/// or event loop, and never from several threads at once.
public struct ChatClientFrameParser: Sendable {
    private var state: WireReader.State

    /// - Parameter rememberedNames: the largest number of cached ids. Each takes 16 bytes in addition to its text.
    public init(rememberedNames: Int = 32) {
        state = WireReader.State(rememberedNames: rememberedNames)
    }

    /// Parses one frame. The bytes must be valid UTF-8, which the WebSocket layer has checked. They are used during the call only.
    public mutating func parse(_ bytes: UnsafeRawBufferPointer) throws(ChatFrameError) -> ChatClientFrame {
        try WireReader.with(bytes, state: &state) { $0.clientFrame() }.get()
    }
}

extension ChatClientFrame {
    /// Parses one frame. Use ``ChatClientFrameParser`` for many frames. The bytes must be valid UTF-8.
    public init(parsing bytes: UnsafeRawBufferPointer) throws(ChatFrameError) {
        var parser = ChatClientFrameParser(rememberedNames: 0)
        self = try parser.parse(bytes)
    }
}

/// The reason to refuse a request. The caller adds the number of the request.
typealias RequestFault = ChatRequestRefusal

extension WireReader {
    fileprivate mutating func clientFrame() -> Result<ChatClientFrame, ChatFrameError> {
        do throws(JSONSyntaxError) {
            guard try scanner.peek() == UInt8(ascii: "{") else {
                _ = try scanner.value()
                return .failure(ChatFrameError(.malformed, code: .badArgument, reason: "The frame is not a JSON object."))
            }
            let frame = try object { (reader) throws(JSONSyntaxError) in
                // The scan continues to the end of the frame, so that invalid JSON is always reported as a syntax error.
                var rest = reader.scanner
                try rest.expectEnd()
                return reader.frameOfScope()
            }
            return frame ?? .failure(ChatFrameError(.malformed, code: .badArgument, reason: "The frame is not a JSON object."))
        } catch {
            return .failure(ChatFrameError(.malformed, code: .badArgument, reason: "The frame is not JSON: \(error)."))
        }
    }

    private mutating func frameOfScope() -> Result<ChatClientFrame, ChatFrameError> {
        guard let type = find("t"), type.kind == .string else {
            return .failure(ChatFrameError(.malformed, code: .badArgument, reason: "The frame has no type t."))
        }
        guard let slot = find("n") else { return notification(type) }
        let number = slot.kind == .number ? whole("n") : nil
        guard let number, (1...ChatProtocolLimits.requestNumber).contains(number) else {
            return .failure(
                ChatFrameError(.ignored, code: .badArgument, reason: "The request's number n is not a valid whole number."))
        }
        do throws(RequestFault) {
            if let request = try request(type) { return .success(.request(request, number: number)) }
            return .failure(
                ChatFrameError(.refused(number: number), code: .unknownRequest, reason: "The request has an unknown type t."))
        } catch {
            return .failure(ChatFrameError(.refused(number: number), error))
        }
    }

    private mutating func notification(_ type: Slot) -> Result<ChatClientFrame, ChatFrameError> {
        do throws(RequestFault) {
            if `is`(type, "ack") { return .success(.acknowledge(try need(whole("q"), "q"))) }
            if `is`(type, "typing") { return .success(.typing(to: try id(named: "to"), type: try typeName())) }
            if `is`(type, "leave") { return .success(.leave(disablePush: try flag("disablePush", default: false))) }
        } catch {
            return .failure(ChatFrameError(.ignored, error))
        }
        if `is`(type, "hello") {
            do throws(RequestFault) {
                return .success(.hello(try hello()))
            } catch {
                return .failure(ChatFrameError(.malformed, code: .badHello, reason: error.reason))
            }
        }
        return .failure(ChatFrameError(.ignored, code: .unknownRequest, reason: "The notification has an unknown type t."))
    }

    private mutating func hello() throws(RequestFault) -> ChatHello {
        let device = object("device") { reader -> Result<ChatDevice, RequestFault>? in
            Result { () throws(RequestFault) in try reader.device() }
        }
        var resume: ChatPlace?
        if find("resume") != nil { resume = try need(object("resume") { $0.place() }, "resume") }
        guard let version = integer("v"), version >= 1 else { throw .missing("v") }
        return ChatHello(
            version: version, appKey: try need(text("appKey"), "appKey"), token: try need(text("token"), "token"),
            device: try need(device, "device").get(), client: try text("client", upTo: ChatProtocolLimits.client) ?? "",
            resume: resume, isReconnect: try flag("reconnect", default: false), yields: try flag("yields", default: false))
    }

    private mutating func device() throws(RequestFault) -> ChatDevice {
        var kind = ChatDevice.Class.mobile
        if find("class") != nil { kind = try need(text("class").flatMap { .init(rawValue: $0) }, "class") }
        return ChatDevice(
            id: try id(named: "id"), class: kind, system: try text("os", upTo: ChatProtocolLimits.system) ?? "")
    }
}

// MARK: Required members, and limits of members

extension ChatRequestRefusal {
    static func missing(_ member: StaticString) -> ChatRequestRefusal {
        ChatRequestRefusal(.badArgument, "The field \"\(member)\" is missing, or its value is not valid.")
    }
}

extension WireReader {
    func need<Value>(_ value: Value?, _ name: StaticString) throws(RequestFault) -> Value {
        guard let value else { throw .missing(name) }
        return value
    }

    /// The value of an optional member; throws when it is present but invalid.
    func wanted<Value>(_ value: Value?, _ name: StaticString) throws(RequestFault) -> Value? {
        if value == nil, find(name) != nil { throw .missing(name) }
        return value
    }

    func flag(_ name: StaticString, default value: Bool) throws(RequestFault) -> Bool {
        try wanted(flag(name), name) ?? value
    }

    mutating func text(_ name: StaticString, upTo length: Int) throws(RequestFault) -> String? {
        guard let text = try wanted(text(name), name) else { return nil }
        guard ChatProtocolLimits.accepts(text, upTo: length) else {
            throw ChatRequestRefusal(.badArgument, "The member \"\(name)\" is too long.")
        }
        return text
    }

    /// The id of a user, a group or a channel.
    mutating func id(named name: StaticString) throws(RequestFault) -> String {
        guard let id = shared(name), ChatProtocolLimits.accepts(id: id) else { throw .missing(name) }
        return id
    }

    mutating func optionalID(named name: StaticString) throws(RequestFault) -> String? {
        find(name) == nil ? nil : try id(named: name)
    }

    mutating func typeName() throws(RequestFault) -> String {
        guard let type = shared("type"), ChatProtocolLimits.accepts(type: type) else { throw .missing("type") }
        return type
    }

    func within(_ name: StaticString, _ range: ClosedRange<Int>, default value: Int) throws(RequestFault) -> Int {
        guard let number = try wanted(integer(name), name) else { return value }
        guard range.contains(number) else { throw .missing(name) }
        return number
    }

    mutating func userIDs(_ name: StaticString, _ range: ClosedRange<Int>) throws(RequestFault) -> [String] {
        let ids = try wanted(texts(name), name) ?? []
        guard range.contains(ids.count), ids.allSatisfy(ChatProtocolLimits.accepts(id:)) else { throw .missing(name) }
        return ids
    }
}
