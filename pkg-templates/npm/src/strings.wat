;; Text in and out of the engine's memory by WebAssembly's own functions for strings (the JS String Builtins proposal): one
;; call takes all characters of a text, where JavaScript asks for each. strings.ts loads this where a runtime has them.
;; They know arrays of 16-bit units, not memory, so every text goes through one array.
(module
  (type $units (array (mut i16)))

  (import "engine" "memory" (memory 0))
  (import "wasm:js-string" "intoCharCodeArray" (func $into_units (param externref (ref null $units) i32) (result i32)))
  (import "wasm:js-string" "fromCharCodeArray" (func $from_units (param (ref null $units) i32 i32) (result (ref extern))))

  ;; As long as the longest text: StringsLimit.LengthMax in strings.ts.
  (global $units (ref $units) (array.new_default $units (i32.const 512)))

  ;; Writes a text at an address, a byte a character; answers its length, or -1 when it is not ASCII: what was written is
  ;; not the text then. Four characters go at a time, and whether all were ASCII is asked once.
  (func (export "write") (param $text externref) (param $at i32) (result i32)
    (local $units (ref $units)) (local $length i32) (local $index i32) (local $last_four i32) (local $seen i32)
    (local $first i32) (local $second i32) (local $third i32) (local $fourth i32)
    (local.set $units (global.get $units))
    (local.set $length (call $into_units (local.get $text) (local.get $units) (i32.const 0)))
    (local.set $last_four (i32.sub (local.get $length) (i32.const 4)))
    (block $less_than_four
      (br_if $less_than_four (i32.lt_s (local.get $last_four) (i32.const 0)))
      (loop $four_more
        (local.set $first (array.get_u $units (local.get $units) (local.get $index)))
        (local.set $second (array.get_u $units (local.get $units) (i32.add (local.get $index) (i32.const 1))))
        (local.set $third (array.get_u $units (local.get $units) (i32.add (local.get $index) (i32.const 2))))
        (local.set $fourth (array.get_u $units (local.get $units) (i32.add (local.get $index) (i32.const 3))))
        (local.set $seen
          (i32.or
            (local.get $seen)
            (i32.or (i32.or (local.get $first) (local.get $second)) (i32.or (local.get $third) (local.get $fourth)))))
        (i32.store
          (i32.add (local.get $at) (local.get $index))
          (i32.or
            (i32.or (local.get $first) (i32.shl (local.get $second) (i32.const 8)))
            (i32.or (i32.shl (local.get $third) (i32.const 16)) (i32.shl (local.get $fourth) (i32.const 24)))))
        (local.set $index (i32.add (local.get $index) (i32.const 4)))
        (br_if $four_more (i32.le_s (local.get $index) (local.get $last_four)))))
    (block $end
      (loop $one_more
        (br_if $end (i32.ge_u (local.get $index) (local.get $length)))
        (local.set $first (array.get_u $units (local.get $units) (local.get $index)))
        (local.set $seen (i32.or (local.get $seen) (local.get $first)))
        (i32.store8 (i32.add (local.get $at) (local.get $index)) (local.get $first))
        (local.set $index (i32.add (local.get $index) (i32.const 1)))
        (br $one_more)))
    (if (result i32) (i32.gt_u (local.get $seen) (i32.const 0x7f))
      (then (i32.const -1))
      (else (local.get $length))))

  ;; The text of so many bytes from an address on, a character a byte.
  (func (export "read") (param $at i32) (param $length i32) (result externref)
    (local $units (ref $units)) (local $index i32) (local $last_four i32) (local $word i32)
    (local.set $units (global.get $units))
    (local.set $last_four (i32.sub (local.get $length) (i32.const 4)))
    (block $less_than_four
      (br_if $less_than_four (i32.lt_s (local.get $last_four) (i32.const 0)))
      (loop $four_more
        (local.set $word (i32.load (i32.add (local.get $at) (local.get $index))))
        (array.set $units (local.get $units) (local.get $index) (i32.and (local.get $word) (i32.const 0xff)))
        (array.set $units
          (local.get $units)
          (i32.add (local.get $index) (i32.const 1))
          (i32.and (i32.shr_u (local.get $word) (i32.const 8)) (i32.const 0xff)))
        (array.set $units
          (local.get $units)
          (i32.add (local.get $index) (i32.const 2))
          (i32.and (i32.shr_u (local.get $word) (i32.const 16)) (i32.const 0xff)))
        (array.set $units
          (local.get $units)
          (i32.add (local.get $index) (i32.const 3))
          (i32.shr_u (local.get $word) (i32.const 24)))
        (local.set $index (i32.add (local.get $index) (i32.const 4)))
        (br_if $four_more (i32.le_s (local.get $index) (local.get $last_four)))))
    (block $end
      (loop $one_more
        (br_if $end (i32.ge_u (local.get $index) (local.get $length)))
        (array.set $units
          (local.get $units)
          (local.get $index)
          (i32.load8_u (i32.add (local.get $at) (local.get $index))))
        (local.set $index (i32.add (local.get $index) (i32.const 1)))
        (br $one_more)))
    (call $from_units (local.get $units) (i32.const 0) (local.get $length))))
