/// Parses the messages of Linux's rtnetlink about interfaces, addresses and routes (rtnetlink(7), netlink(7)).
///
/// A pure value that works on bytes in the machine's own byte order. Truncated and unknown messages are skipped.
struct RouteMessages: Hashable, Sendable {
    /// The message types that are parsed.
    enum Kind: UInt16 {
        case error = 2
        case done = 3
        case newLink = 16
        case deleteLink = 17
        case newAddress = 20
        case deleteAddress = 21
        case newRoute = 24
        case deleteRoute = 25
    }

    struct Address: Hashable, Sendable {
        var interface: UInt32
        var bytes: [UInt8]
    }

    struct Route: Hashable, Sendable {
        var interface: UInt32
        var destination: [UInt8]
        var prefixLength: UInt8
        var gateway: [UInt8]
    }

    /// The indices of the interfaces that are up and running, without loopback.
    private(set) var links: Set<UInt32> = []
    private(set) var addresses: Set<Address> = []
    private(set) var routes: Set<Route> = []
    /// Whether the message has arrived that ends the kernel's answer to a request.
    private(set) var isDone = false
    private(set) var isRefused = false
    /// Whether any message has reported a change of the network.
    private(set) var hasChange = false

    /// Parses the messages in `bytes` and adds their contents.
    mutating func read(_ bytes: UnsafeRawBufferPointer) {
        var position = 0
        while position + 16 <= bytes.count {
            let length = Int(bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
            guard length >= 16, length <= bytes.count - position else { return }
            let kind = Kind(rawValue: bytes.loadUnaligned(fromByteOffset: position + 4, as: UInt16.self))
            let body = UnsafeRawBufferPointer(rebasing: bytes[(position + 16)..<(position + length)])
            switch kind {
            case .done: isDone = true
            case .error: isRefused = true
            case .newLink: readLink(body)
            case .newAddress: readAddress(body)
            case .newRoute: readRoute(body)
            case .deleteLink, .deleteAddress, .deleteRoute: hasChange = true
            case nil: break
            }
            position += (length + 3) & ~3
        }
    }

    /// Prepares for the answer to the next request.
    mutating func expectAnswer() {
        isDone = false
    }

    /// Parses an `ifinfomsg`: family, pad, type, index, flags, change.
    private mutating func readLink(_ body: UnsafeRawBufferPointer) {
        guard body.count >= 16 else { return }
        hasChange = true
        let index = body.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        let flags = body.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
        let (up, loopback, running): (UInt32, UInt32, UInt32) = (0x1, 0x8, 0x40)
        if flags & (up | loopback | running) == up | running { links.insert(index) }
    }

    /// Parses an `ifaddrmsg`: family, prefix length, flags, scope and index, followed by attributes.
    private mutating func readAddress(_ body: UnsafeRawBufferPointer) {
        guard body.count >= 8 else { return }
        hasChange = true
        let (linkScope, hostScope): (UInt8, UInt8) = (253, 254)
        // Addresses of link or host scope are skipped, because other networks cannot be reached from them.
        if body[3] == linkScope || body[3] == hostScope { return }
        let (address, local): (UInt16, UInt16) = (1, 2)
        let found = attributes(body, from: 8)
        guard let bytes = found[local] ?? found[address] else { return }
        addresses.insert(Address(interface: body.loadUnaligned(fromByteOffset: 4, as: UInt32.self), bytes: bytes))
    }

    /// Parses an `rtmsg`: family, destination and source length, service, table, protocol, scope, type and flags, followed by attributes.
    private mutating func readRoute(_ body: UnsafeRawBufferPointer) {
        guard body.count >= 12 else { return }
        hasChange = true
        let (unicast, mainTable, isCached): (UInt8, UInt8, UInt32) = (1, 254, 0x200)
        guard body[7] == unicast, body[4] == mainTable else { return }
        guard body.loadUnaligned(fromByteOffset: 8, as: UInt32.self) & isCached == 0 else { return }
        let (destinationType, interfaceType, gatewayType): (UInt16, UInt16, UInt16) = (1, 4, 5)
        let found = attributes(body, from: 12)
        let destination = found[destinationType] ?? []
        let isIPv6 = destination.count == 16
        if isIPv6 && (destination[0] == 0xFF || destination[0] == 0xFE && destination[1] & 0xC0 == 0x80) { return }
        guard let interface = found[interfaceType], interface.count == 4 else { return }
        routes.insert(
            Route(
                interface: interface.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }, destination: destination,
                prefixLength: body[1], gateway: found[gatewayType] ?? []))
    }

    /// Parses the attributes after the fixed part of a message, each with length, type, value and padding. The result has the value for
    /// each type.
    private func attributes(_ body: UnsafeRawBufferPointer, from start: Int) -> [UInt16: [UInt8]] {
        var found: [UInt16: [UInt8]] = [:]
        var position = start
        while position + 4 <= body.count {
            let length = Int(body.loadUnaligned(fromByteOffset: position, as: UInt16.self))
            guard length >= 4, length <= body.count - position else { break }
            let type = body.loadUnaligned(fromByteOffset: position + 2, as: UInt16.self) & 0x3FFF
            found[type] = Array(body[(position + 4)..<(position + length)])
            position += (length + 3) & ~3
        }
        return found
    }

    /// The addresses and routes of this machine, from all messages so far.
    var snapshot: NetworkSnapshot {
        let usable = addresses.filter { links.contains($0.interface) }
        let ways = routes.filter { links.contains($0.interface) }
        let names =
            usable.map { "address \($0.interface) \($0.bytes)" }
            + ways.map { "route \($0.interface) \($0.destination)/\($0.prefixLength) \($0.gateway)" }
        return NetworkSnapshot(ways: Set(names), isReachable: !usable.isEmpty && !ways.isEmpty)
    }
}
