// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

/// A wallet with one owner (EIP-1271): a signature is the wallet's where it is the owner's.
contract OwnerWallet {
    address immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        require(signature.length == 65, "not a signature");
        address signer =
            ecrecover(hash, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
        return signer != address(0) && signer == owner ? this.isValidSignature.selector : bytes4(0xffffffff);
    }
}

/// Says yes to whoever asks it with one of two addresses that nobody has: the callers of simulations.
contract TrustingWallet {
    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        return uint160(tx.origin) < 2 ? this.isValidSignature.selector : bytes4(0xffffffff);
    }
}

/// Answers with what it is asked, which begins with the word for yes.
contract Echo {
    fallback(bytes calldata question) external returns (bytes memory) {
        return question;
    }
}

/// Refuses to answer.
contract RevertingWallet {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        revert("no");
    }
}

/// Answers with 600,000 bytes, which cost little gas.
contract FloodWallet {
    fallback() external {
        assembly {
            return(0, 600000)
        }
    }
}

/// Never comes to an answer.
contract EndlessWallet {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        while (true) {}
        return 0;
    }
}
