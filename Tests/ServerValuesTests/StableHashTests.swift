import ServerValues
import Testing

@Suite struct StableHashTests {
    @Test(
        "CR-51: The hash of texts is the same in every version",
        arguments: [
            ([""], 0xEFD0_1F60_BA99_2926), (["a"], 0x82A2_A958_A9BE_CE5B), (["1", "1001"], 0xAAED_CC3C_E1BE_3B89),
            (["2", "demo"], 0xFE04_9A3F_2715_9A4F), (["3", "app-key"], 0x1D2E_D368_1F12_4FC4),
            (["3", "schlüssel"], 0xDEC7_9C8D_635A_73FA),
        ] as [([String], UInt64)])
    func vectors(_ texts: [String], _ expected: UInt64) {
        switch texts.count {
        case 1: #expect(StableHash.of(texts[0]) == expected)
        default: #expect(StableHash.of(texts[0], texts[1]) == expected)
        }
    }
}
