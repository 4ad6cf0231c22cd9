import ServerConsole
import Testing

@Suite("Passwords of the console (CO-10 to CO-12)")
struct ConsolePasswordsTests {
    private let cost = ConsolePasswords.Cost(rounds: 1 << 10)
    private let admin = "correct horse battery"
    private let reader = "only to look around"

    @Test("Each password has its role, and nothing else has one (CO-12)")
    func roles() throws {
        let passwords = try ConsolePasswords(admin: admin, reader: reader, cost: cost)
        #expect(passwords.role(of: admin) == .admin && passwords.role(of: reader) == .reader)
        #expect(ConsoleRole.admin.mayChange && !ConsoleRole.reader.mayChange)
        for other in ["", "x", admin + " ", admin.uppercased(), String(repeating: "x", count: 5_000)] {
            #expect(passwords.role(of: other) == nil)
        }
        let alone = try ConsolePasswords(admin: admin, cost: cost)
        #expect(alone.role(of: reader) == nil && alone.role(of: "") == nil)
    }

    @Test("Passwords that are too short, too long or the same are refused (CO-12)")
    func refused() {
        for short in ["", "elevenbytes"] {
            #expect(throws: ConsolePasswords.Problem.tooShort) { try ConsolePasswords(admin: short, cost: cost) }
            #expect(throws: ConsolePasswords.Problem.tooShort) { try ConsolePasswords(admin: admin, reader: short, cost: cost) }
        }
        #expect(throws: ConsolePasswords.Problem.tooLong) {
            try ConsolePasswords(admin: String(repeating: "x", count: 1_025), cost: cost)
        }
        #expect(throws: ConsolePasswords.Problem.same) { try ConsolePasswords(admin: admin, reader: admin, cost: cost) }
    }

    @Test("What a file keeps opens with the same password and has nothing of it (CO-11)")
    func kept() throws {
        let passwords = try ConsolePasswords(admin: admin, reader: reader, cost: cost)
        #expect(passwords.kept.hasPrefix("scrypt 1024 8 ") && !passwords.kept.contains(admin))
        let again = try #require(try ConsolePasswords(kept: passwords.kept, reader: nil))
        #expect(again.role(of: admin) == .admin && again.role(of: reader) == nil)
        let withReader = try #require(try ConsolePasswords(kept: passwords.kept, reader: reader))
        #expect(withReader.role(of: reader) == .reader)
        #expect(throws: ConsolePasswords.Problem.same) { try ConsolePasswords(kept: passwords.kept, reader: admin) }
        for wrong in [
            "", "scrypt", "plain \(admin)", passwords.kept.replacingOccurrences(of: "1024", with: "1000"),
            passwords.kept.replacingOccurrences(of: "1024", with: "1073741824"), String(passwords.kept.dropLast(3)),
            passwords.kept + " more",
        ] {
            #expect(try ConsolePasswords(kept: wrong, reader: nil) == nil, "\(wrong)")
        }
    }

    @Test("Passwords that are made are long, different, and shown by no description (CO-10)")
    func made() throws {
        let made = (0..<100).map { _ in ConsolePasswords.generated() }
        #expect(Set(made).count == 100 && made.allSatisfy { $0.utf8.count == 24 && $0.allSatisfy { $0.isLetter || $0.isNumber } })
        let passwords = try ConsolePasswords(admin: admin, reader: reader, cost: cost)
        #expect("\(passwords) \(String(reflecting: passwords))".contains("passwords of the console"))
        var dumped = ""
        dump(passwords, to: &dumped)
        #expect(!dumped.contains("hash") && !dumped.contains("elements"))
    }
}

extension String {
    fileprivate func replacingOccurrences(of part: String, with other: String) -> String {
        split(separator: " ", omittingEmptySubsequences: false).map { $0 == part ? other : String($0) }.joined(separator: " ")
    }
}
